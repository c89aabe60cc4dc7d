/* Copyright (c) 2026, the configok.node authors
   GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
   SPDX-License-Identifier: GPL-3.0-or-later

   Finds nodes by name or state. A page is complete without it: then the legend is a list, and there is no search
   field. */
(function () {
  "use strict";
  var board = document.getElementById("board"), legend = document.getElementById("legend");
  if (!board || !legend) { return; }
  var nodes = Array.prototype.slice.call(board.querySelectorAll("[title]"));
  var rows = Array.prototype.slice.call(document.querySelectorAll("#all tbody tr"));
  var texts = nodes.map(function (node) { return node.title.toLowerCase(); });
  var state = "";

  var tools = document.createElement("div");
  tools.className = "tools";
  var input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Find nodes";
  input.setAttribute("aria-label", "Find nodes by name, state or reason");
  var output = document.createElement("output");
  output.setAttribute("aria-live", "polite");
  tools.append(input, output);
  board.before(tools);

  function apply() {
    var words = input.value.toLowerCase().split(" ").filter(Boolean), count = 0;
    nodes.forEach(function (node, index) {
      var hit = (!state || node.classList.contains(state)) &&
        words.every(function (word) { return texts[index].indexOf(word) >= 0; });
      node.classList.toggle("dim", !hit);
      count += hit ? 1 : 0;
    });
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = (state && row.dataset.state !== state) ||
        !words.every(function (word) { return text.indexOf(word) >= 0; });
    });
    output.textContent = words.length || state ? count + " of " + nodes.length + " nodes" : "";
  }
  input.addEventListener("input", apply);

  Array.prototype.forEach.call(legend.children, function (item) {
    var button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.append.apply(button, Array.prototype.slice.call(item.childNodes));
    item.append(button);
    button.addEventListener("click", function () {
      var pressed = button.getAttribute("aria-pressed") !== "true";
      legend.querySelectorAll("button").forEach(function (other) { other.setAttribute("aria-pressed", "false"); });
      button.setAttribute("aria-pressed", String(pressed));
      state = pressed ? item.dataset.state : "";
      apply();
    });
  });

  function show(event) {
    var node = event.target.closest("[title]");
    if (node) { output.textContent = node.title; }
  }
  board.addEventListener("mouseover", show);
  board.addEventListener("click", show);
  board.addEventListener("mouseleave", apply);
}());

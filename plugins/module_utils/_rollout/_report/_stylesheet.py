# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stylesheet of a report, and the rules that one page adds to it. Pure. Private to configok.node.

A report allows no style attribute, so that text from the cluster cannot bring one: what depends on data, such as the
width of a bar, becomes a rule of the stylesheet, which the page's policy names by its hash.
"""

from __future__ import annotations


class StyleRules:
    """The rules that a page adds to the stylesheet: a class for each declaration."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def class_of(self, declaration: str) -> str:
        """Return the class that has this declaration. It must not contain text from the cluster."""
        return self._names.setdefault(declaration, f"r{len(self._names)}")

    def __str__(self) -> str:
        return "".join(f".{name}{{{declaration}}}\n" for declaration, name in self._names.items())


STYLESHEET = """
:root{color-scheme:light dark;
--bg:#fff;--panel:#f6f8fa;--line:#d8dee4;--text:#1c2128;--muted:#57606a;--link:#0757ba;
--ok:#1f9d70;--oksoft:#bfe7d7;--move:#0969da;--movesoft:#cfe3fb;--bad:#cf222e;--badsoft:#fde4e4;
--warn:#b26a00;--warnsoft:#fff0d1;--drift:#8250df;--driftsoft:#ece2fd;--rest:#8c96a3;--restsoft:#e7eaee;
--mark:#fff}
@media (prefers-color-scheme:dark){:root{
--bg:#0f1318;--panel:#171c23;--line:#2d353f;--text:#e4e9ef;--muted:#98a3b0;--link:#79b8ff;
--ok:#2fb585;--oksoft:#12503c;--move:#539bf5;--movesoft:#16365f;--bad:#f4645f;--badsoft:#441d20;
--warn:#dba13a;--warnsoft:#43310f;--drift:#b083f0;--driftsoft:#35244f;--rest:#687482;--restsoft:#262d36;
--mark:#0f1318}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--bg);color:var(--text);overflow-wrap:break-word;
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Inter,"Noto Sans","Liberation Sans",sans-serif}
main,.masthead>div,footer{max-width:78rem;margin:0 auto;padding:0 1.5rem}
h1,h2,h3,p,ul,ol,dl,dd,table,figure{margin:0}
ul,ol{padding:0;list-style:none}
a{color:var(--link);text-underline-offset:.15em}
code,.mono,.words,.why,.zone,.zones,h1,.facts dd{overflow-wrap:anywhere}
code,.mono{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
h1{font-size:1.9rem;line-height:1.15;font-weight:680}
h2{font-size:1.2rem;font-weight:650;margin-bottom:.2rem}
h3{font-size:.95rem;font-weight:620}
section.part{padding:1.9rem 0;border-top:1px solid var(--line)}
main>section.part:first-child{border-top:0}
.muted,.hint{color:var(--muted)}
.hint{margin-bottom:1rem;max-width:62rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}

.masthead{background:var(--panel);border-bottom:1px solid var(--line);padding:1.9rem 0 1.5rem}
.title{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .9rem}
.kind{color:var(--muted);font-size:.8rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;width:100%}
.phase{display:inline-flex;align-items:center;gap:.45rem;padding:.2rem .75rem .2rem .6rem;border-radius:99px;
font-weight:640;font-size:.92rem;border:1px solid;background:var(--tint);color:var(--tone);border-color:var(--tone)}
.phase::before{content:"";width:.62rem;height:.62rem;background:currentColor;border-radius:50%}
.good{--tone:#11724f;--tint:#e3f5ed}.bad{--tone:#b3141f;--tint:#fdeaea}
.wait{--tone:#8a5200;--tint:#fff4dc}.busy{--tone:#0757ba;--tint:#e4f0fd}.plain{--tone:var(--muted);--tint:transparent}
.bad::before{border-radius:1px;transform:rotate(45deg)}
.wait::before{border-radius:0;background:linear-gradient(90deg,currentColor 35%,transparent 35% 65%,currentColor 65%)}
.busy::before{background:transparent;border:.18rem solid currentColor}
@media (prefers-color-scheme:dark){.good{--tone:#5fd6ab;--tint:#0f3529}.bad{--tone:#ff938d;--tint:#3d1a1c}
.wait{--tone:#ecbe68;--tint:#3a2b0e}.busy{--tone:#8cc0ff;--tint:#12294a}}
.why{font-size:1.02rem;margin-top:.8rem;max-width:62rem;padding-left:.8rem;border-left:3px solid var(--tone,
var(--line))}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(11.5rem,100%),1fr));gap:.9rem 1.6rem;
margin-top:1.3rem}
.facts dt{color:var(--muted);font-size:.8rem}
.facts dd{font-weight:520}
.facts .more{display:block;font-weight:400;color:var(--muted);font-size:.86rem}
nav{margin-top:1.3rem}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.92rem}

.bar{display:flex;height:.8rem;border-radius:4px;overflow:hidden;gap:2px;margin:.7rem 0 .9rem;background:var(--bg)}
.bar i{min-width:4px;border-radius:0}
.bar i.failed{background:var(--bad)}.bar i.drifted{background:var(--drift)}
.bar i.trial{background:repeating-linear-gradient(135deg,var(--ok) 0 4px,var(--oksoft) 4px 7px)}
.bar i.gone{background:var(--restsoft)}
.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;margin-bottom:1.2rem;font-size:.9rem}
.legend li{display:flex;align-items:center;gap:.45rem}
.legend b{font-variant-numeric:tabular-nums}
.legend i{width:14px;height:14px;flex:none}
.legend button{all:unset;display:flex;align-items:center;gap:.45rem;cursor:pointer;padding:0 .25rem;margin:0 -.25rem;
border-radius:4px}
.legend button:focus-visible{outline:2px solid var(--link)}
.legend button[aria-pressed=true]{background:var(--restsoft);box-shadow:0 0 0 1px var(--rest)}

i.ok,i.trial,i.pending,i.elsewhere,i.failed,i.unknown,i.drifted,i.no-agent,i.gone{display:block;border-radius:2px;
-webkit-print-color-adjust:exact;print-color-adjust:exact;forced-color-adjust:none}
i.ok{background:var(--ok)}
i.trial{background:linear-gradient(135deg,var(--ok) 50%,var(--oksoft) 50%)}
i.pending{background:var(--movesoft);border:2px solid var(--move)}
i.elsewhere{border:1px solid var(--rest)}
i.failed{background:linear-gradient(45deg,transparent 44%,var(--mark) 44% 56%,transparent 56%),
linear-gradient(-45deg,var(--bad) 44%,var(--mark) 44% 56%,var(--bad) 56%)}
.small i.failed{background:var(--bad);box-shadow:0 0 0 1.5px var(--bad)}
i.unknown{background:repeating-linear-gradient(135deg,var(--warn) 0 2.5px,var(--warnsoft) 2.5px 4.5px);
border:1px solid var(--warn)}
i.drifted{background:linear-gradient(90deg,var(--drift) 50%,var(--driftsoft) 50%);border:1px solid var(--drift)}
i.no-agent{border:1px dashed var(--muted)}
i.gone{background:linear-gradient(45deg,transparent 42%,var(--muted) 42% 58%,transparent 58%);
border:1px dotted var(--muted)}

.board{display:grid;column-gap:1.4rem}
.zones,.lane{display:grid;grid-template-rows:subgrid;grid-row:1/-1;min-width:0}
.zones{color:var(--muted);font-size:.84rem;max-width:11rem}
.zones>*,.cell{border-top:1px solid var(--line);padding:.6rem 0 .75rem}
.zones>*{padding-top:.42rem}
.zones>:first-child{border:0}
.cell .zone{display:none;color:var(--muted);font-size:.8rem;margin-bottom:.25rem}
.lane header{padding-bottom:.55rem}
.lane header p{color:var(--muted);font-size:.82rem;line-height:1.35}
.lane header .now{color:var(--text);font-weight:600}
.sq{display:flex;flex-wrap:wrap;align-content:flex-start;gap:var(--gap)}
.sq i{width:var(--size);height:var(--size)}
.large{--size:18px;--gap:4px}.medium{--size:13px;--gap:3px}.small{--size:9px;--gap:2px}
.small i.pending{border-width:1.5px}
.chips{display:grid;grid-template-columns:minmax(0,1fr);gap:.3rem}
.chips li{display:flex;align-items:center;gap:.5rem;min-width:0}
.chips i{width:14px;height:14px;flex:none}
.chips span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.dim{opacity:.14}
.tools{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin-bottom:1rem;min-height:2.3rem}
.tools input{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--rest);border-radius:6px;
padding:.3rem .6rem;width:min(17rem,100%)}
.tools output{color:var(--muted);font-size:.9rem}
.board.stack,.board.stack .lane{display:block}
.board.stack .zones,.board.stack .cell:empty{display:none}
.board.stack .lane+.lane{margin-top:1.1rem}
.board.stack .cell{display:grid;grid-template-columns:minmax(4.5rem,max-content) 1fr;gap:.8rem;padding:.4rem 0}
.board.stack .cell .zone{display:block;margin:0}

.table{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:baseline;padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--muted);font-weight:560;font-size:.8rem;border-bottom-color:var(--rest)}
tbody th{font-weight:520}
tr:last-child>*{border-bottom:0}
.number{text-align:right;font-variant-numeric:tabular-nums}
.time{white-space:nowrap;font-variant-numeric:tabular-nums}
td:has(>.time){width:1%}
.phases td:nth-child(2){white-space:nowrap;width:1%;padding-right:1.6rem}
.phases td:first-child{padding-right:1.6rem}
.phases th p{font-weight:400;color:var(--muted);max-width:62rem}
.state{display:inline-flex;align-items:center;gap:.45rem;white-space:nowrap;font-weight:560}
.state i{width:14px;height:14px;flex:none}
.tag{display:inline-block;font-size:.75rem;font-weight:600;padding:0 .45rem;border-radius:99px;color:var(--muted);
border:1px solid var(--rest);white-space:nowrap}
details{margin-top:1rem}
summary{cursor:pointer;color:var(--link);width:fit-content}
summary+*{margin-top:.7rem}

.problems{display:grid;gap:.55rem}
.problems>li{border:1px solid var(--line);border-left:4px solid var(--edge,var(--rest));border-radius:6px;
padding:.5rem .85rem .55rem}
.e-failed{--edge:var(--bad)}.e-unknown{--edge:var(--warn)}.e-drifted{--edge:var(--drift)}.e-pending{--edge:var(--move)}
.where{display:flex;flex-wrap:wrap;gap:.2rem .9rem;align-items:baseline}
.where details{margin:0}
.problems .words{margin-top:.15rem}
.problems .verdict{margin-top:.2rem;color:var(--muted);font-size:.92rem}

.gantt{display:grid;grid-template-columns:max-content 1fr;gap:.45rem 1rem;align-items:center;margin:.4rem 0 1.2rem}
.gantt .track{position:relative;height:1.5rem;background:var(--panel);border-radius:4px}
.gantt .track b{position:absolute;top:0;bottom:0;min-width:3px;border-radius:3px;
-webkit-print-color-adjust:exact;print-color-adjust:exact;forced-color-adjust:none}
.gantt .scale{position:relative;height:1.2rem;font-size:.78rem;color:var(--muted);font-variant-numeric:tabular-nums}
.gantt .scale span{position:absolute;transform:translateX(-50%);white-space:nowrap}
b.planned{background:var(--restsoft);border:1px solid var(--rest)}
b.moving{background:var(--move)}
b.soaking{background:repeating-linear-gradient(90deg,var(--ok) 0 3px,var(--oksoft) 3px 6px)}
b.paused{background:repeating-linear-gradient(135deg,var(--warn) 0 4px,var(--warnsoft) 4px 8px)}
b.halted{background:var(--bad)}
.gantt .track b.halted{min-width:6px}
b.ended{background:var(--ok)}
.keys{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.86rem;color:var(--muted);margin-bottom:1.1rem}
.keys li{display:flex;align-items:center;gap:.45rem}
.keys b{width:22px;height:12px;border-radius:3px;-webkit-print-color-adjust:exact;print-color-adjust:exact}

.versions{display:grid;grid-template-columns:max-content minmax(4rem,1fr) max-content;gap:.35rem 1rem;
align-items:center;margin:.4rem 0 1.2rem;font-size:.9rem}
.versions h3{grid-column:1/-1;margin:.7rem 0 .1rem}
.versions .track{display:flex;height:1rem;border-radius:4px;overflow:hidden;background:var(--panel)}
.versions b{min-width:3px;-webkit-print-color-adjust:exact;print-color-adjust:exact;forced-color-adjust:none}
b.settled{background:var(--ok)}
b.leaving{background:repeating-linear-gradient(135deg,var(--move) 0 4px,var(--movesoft) 4px 8px)}
.versions .count{color:var(--muted);font-variant-numeric:tabular-nums}
.machines th,.machines td:not(.words){white-space:nowrap;overflow-wrap:normal}
.machines .words{min-width:14rem}
.to{color:var(--move);font-weight:560}

.group{margin-top:1.2rem}
.group>.where{margin-bottom:.5rem}
.group>p{margin-top:.4rem}
.before{color:var(--muted)}
.before::before{content:"- ";color:var(--bad);font-weight:700}
.after::before{content:"+ ";color:var(--ok);font-weight:700}
.unset{font-style:italic;color:var(--muted)}
footer p{color:var(--muted);font-size:.86rem;padding:1.2rem 0 3rem;border-top:1px solid var(--line)}
.part h3{margin:1.3rem 0 .3rem}.part .lane h3{margin:0}

@media (max-width:46rem){
main,.masthead>div,footer{padding-left:1rem;padding-right:1rem}
h1{font-size:1.55rem}
.board,.board .lane{display:block}
.board .zones,.board .cell:empty{display:none}
.board .lane+.lane{margin-top:1.4rem}
.board .cell .zone,.board.stack .cell .zone{display:block}
.board.stack .cell{display:block}
.gantt{grid-template-columns:1fr;gap:.15rem}
.gantt .track{margin-bottom:.4rem}
.versions{grid-template-columns:max-content 1fr}
.versions .count{grid-column:1/-1;margin-bottom:.3rem}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards,.cards tbody,.cards tr,.cards td,.cards th{display:block;width:100%}
.cards tr{padding:.6rem 0;border-bottom:1px solid var(--line)}
.cards tr:last-child{border:0}
.cards td,.cards th{border:0;padding:.1rem 0}
.machines td:not(.words){white-space:normal}
.cards td[data-label]:not(:empty)::before{content:attr(data-label) ": ";color:var(--muted);font-weight:400;
font-style:normal}
.cards .number{text-align:left}
.scale .odd{display:none}
}
@media print{
:root{--bg:#fff;--panel:#fff;--text:#000;--muted:#444;--line:#bbb}
body{font-size:10pt}
nav,.tools,details:not([open]){display:none}
section.part{padding:1rem 0;break-inside:auto}
.problems>li,tr,.gantt{break-inside:avoid}
}
"""

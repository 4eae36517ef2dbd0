/** The style sheet of the page. The names of the colours are those of the charts' keys. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --surface: #ffffff; --raised: #f4f6f8; --text: #1b2430; --muted: #556170; --line: #d8dee5; --link: #0b57c4;
  --completed: #2e8555; --running: #2f74d0; --failed: #cf3a24; --cancelled: #a87900; --timed-out: #8b45b5; --waiting: #8b97a6;
  --step-1: #f0b46a; --step-2: #b9a3e0; --step-3: #7fc4c9; --member: #e3e9f0; --idle: #dbe4ee;
  --heat-1: #d6e4f7; --heat-2: #a6c6ef; --heat-3: #6ea3e3; --heat-4: #2f74d0; --heat-5: #154b96;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --surface: #12161c; --raised: #1c232c; --text: #e5eaf0; --muted: #a4afbc; --line: #333d49; --link: #82b5ff;
    --completed: #45a873; --running: #5b9df0; --failed: #f0705a; --cancelled: #d5a93a; --timed-out: #c08be2; --waiting: #7e8a99;
    --step-1: #b97f35; --step-2: #8a72bb; --step-3: #4b9298; --member: #27313d; --idle: #2a3643;
    --heat-1: #1d3350; --heat-2: #27507f; --heat-3: #3873b5; --heat-4: #5b9df0; --heat-5: #b5d4ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
header, main, footer { max-width: 1064px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 24px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 40px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 24px 0 0; }
p { margin: 4px 0 8px; }
header p, figure p, footer, .note { color: var(--muted); }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0; margin: 12px 0 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 20px 0; }
.tiles div { background: var(--raised); border-radius: 8px; padding: 10px 14px; }
.tiles dt { color: var(--muted); font-size: .85rem; }
.tiles dd { margin: 0; font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 8px 0; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
code, .facts code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
.list { padding-left: 20px; margin: 8px 0; }
.list li { margin: 4px 0; overflow-wrap: anywhere; }
figure { margin: 0 0 24px; break-inside: avoid; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; list-style: none; padding: 0; margin: 4px 0 8px; font-size: .9rem; }
.legend svg { vertical-align: -1px; }
.plot, .table { overflow-x: auto; }
.plot svg {
  display: block; min-width: 720px; width: 100%; height: auto;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
.plot text { fill: var(--text); white-space: pre; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; color: var(--muted); padding: 4px 0; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.word { white-space: nowrap; }
td.name { overflow-wrap: break-word; max-width: 24em; }
details { margin: 8px 0; }
summary { cursor: pointer; padding: 4px 0; font-weight: 600; }
.chunk { content-visibility: auto; contain-intrinsic-size: auto 14000px; }
.failed { color: var(--failed); }
footer { margin-top: 40px; padding-bottom: 40px; font-size: .85rem; }
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --surface: #ffffff; --raised: #f4f6f8; --text: #000000; --muted: #444444; --line: #cccccc; --link: #000000;
    --completed: #2e8555; --running: #2f74d0; --failed: #cf3a24; --cancelled: #a87900; --timed-out: #8b45b5; --waiting: #8b97a6;
    --step-1: #f0b46a; --step-2: #b9a3e0; --step-3: #7fc4c9; --member: #e3e9f0; --idle: #dbe4ee;
    --heat-1: #d6e4f7; --heat-2: #a6c6ef; --heat-3: #6ea3e3; --heat-4: #2f74d0; --heat-5: #154b96;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 11px; }
  nav, details:not([open]) { display: none; }
  .plot, .table { overflow: visible; }
  .plot svg { min-width: 0; }
  tr { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
  thead { display: table-header-group; }
}
`;

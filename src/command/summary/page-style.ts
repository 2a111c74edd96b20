/** How the page looks, in light and dark, and on paper. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --faint: #57606a; --line: #d0d7de; --field: #f6f8fa; --link: #0550ae;
  --fatal: #a40e26; --recovered: #116329;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --ink: #e6e9ee; --faint: #a2abb6; --line: #3a424d; --field: #1d222a; --link: #79b8ff;
    --fatal: #ff9492; --recovered: #7ee295;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem; max-width: 75rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.2rem; }
p { margin: .3rem 0; }
.faint { color: var(--faint); }
a { color: var(--link); }
code { font: .9em ui-monospace, monospace; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .6rem; margin: .6rem 0; }
.counts div { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--field); }
.counts dt { color: var(--faint); font-size: .9rem; }
.counts dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
form { display: flex; flex-wrap: wrap; gap: .8rem; align-items: end; margin: 1.5rem 0 0; }
label { display: grid; gap: .2rem; color: var(--faint); font-size: .9rem; }
input, select, button {
  padding: .35rem .6rem; border: 1px solid var(--faint); border-radius: .3rem; background: var(--field); color: var(--ink);
  font: inherit;
}
figure { margin: 0; }
.chart { position: relative; width: 100%; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td {
  padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: normal;
}
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
th button { padding: 0; border: 0; background: none; font-weight: 600; text-align: inherit; cursor: pointer; }
th button::after { content: "\\a0↕"; color: var(--faint); }
th[aria-sort=ascending] button::after { content: "\\a0↑"; color: inherit; }
th[aria-sort=descending] button::after { content: "\\a0↓"; color: inherit; }
details { border-bottom: 1px solid var(--line); }
summary { padding: .45rem 0; cursor: pointer; }
summary b { display: inline-block; min-width: 4rem; font-variant-numeric: tabular-nums; }
.fatal { color: var(--fatal); }
.recovered { color: var(--recovered); }
details > ol, details > ul { margin: 0 0 .8rem; padding-left: 2rem; }
details li { margin: .3rem 0; }
.empty { margin: 2rem 0; padding: 1.2rem; border: 1px solid var(--line); border-radius: .4rem; font-size: 1.1rem; }
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #aaaaaa; --field: #ffffff; --link: #000000;
    --fatal: #8a0000; --recovered: #00501a;
  }
  body { padding: 0; max-width: none; font-size: .8rem; }
  form, th button::after { display: none; }
  td { overflow-wrap: anywhere; }
  tr, summary, li, figure { break-inside: avoid; }
  a::after { content: " (" attr(href) ")"; font-size: .8em; }
}
`;

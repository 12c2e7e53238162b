/**
 * The style of a report. A table that scrolls has shadows at its cut edges. Buys and sells differ by their direction, not by
 * colour alone.
 */
export const style = `
:root { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --grid: #cdd5de; --card: #f6f8fa; --line: #0550ae; --area: #cfe3ff; --buy: #116329; --sell: #a40e26; --gap: #8c959f; --band: #e1e7ee }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --rule: #3d444d; --grid: #39424e; --card: #151b23; --line: #79c0ff; --area: #1b3a5f; --buy: #56d364; --sell: #ff9492; --gap: #656c76; --band: #232c38 }
}
:root { --chart-line: var(--line); --chart-fill: var(--area); --chart-text: var(--soft); --chart-grid: var(--grid); --chart-gap: var(--gap); --chart-band: var(--band); --chart-card: var(--paper); --chart-up: var(--buy); --chart-down: var(--sell) }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 56px }
h1 { margin: 0; font-size: 24px; line-height: 1.25; overflow-wrap: anywhere; text-wrap: balance }
h2 { margin: 36px 0 8px; font-size: 17px }
p { margin: 0 0 8px; overflow-wrap: break-word }
.range, .note, figcaption, dt { color: var(--soft); font-size: 13px }
.range { margin: 4px 0 20px }
.note { margin: 20px 0 }
dl { display: grid; grid-template-columns: repeat(5, 1fr); gap: 1px; margin: 0 0 28px; border: 1px solid var(--rule); background: var(--card) }
dl div { position: relative; padding: 10px 12px; outline: 1px solid var(--rule); cursor: help }
dl div:focus-visible { z-index: 1; outline: 2px solid var(--line) }
dd { margin: 0; font-size: 18px; font-weight: 600; overflow-wrap: anywhere }
.meaning { position: absolute; z-index: 2; top: 100%; left: 0; min-width: 100%; padding: 6px 12px; border: 1px solid var(--rule); border-radius: 0 0 6px 6px; background: var(--paper); color: var(--ink); font-size: 12px; font-weight: 400; opacity: 0; pointer-events: none }
dl div:is(:hover, :focus) .meaning { opacity: 1 }
figure { margin: 0 0 22px; break-inside: avoid }
figcaption { display: flex; flex-wrap: wrap; gap: 0 14px; margin-bottom: 12px; font-weight: 600 }
.key { font-weight: 400; white-space: nowrap }
.key i { display: inline-block; margin-right: 3px }
.key .buy, .key .sell { width: 11px; height: 9px; background: var(--buy); clip-path: polygon(50% 0, 100% 100%, 0 100%); forced-color-adjust: none }
.key .sell { background: var(--sell); clip-path: polygon(0 0, 100% 0, 50% 100%) }
.key svg { width: 28px; height: 8px; margin-right: 3px; vertical-align: middle }
.key .line { stroke: var(--line); stroke-width: 1.5 }
.map td { forced-color-adjust: none }
.plot { height: 240px }
.low { height: 140px }
.dots { stroke-width: 9 }
.whole, .close { padding: 2px 10px; border: 1px solid var(--chart-text); border-radius: 6px; background: var(--paper); color: var(--ink); font: inherit; font-size: 13px; cursor: pointer }
.cursor:focus-visible { outline: 2px solid var(--line); outline-offset: 2px }
figure.large { display: flex; flex-direction: column; margin: 0; padding: 20px; background: var(--paper) }
.large .plot { flex: 1 }
.table { overflow: auto; max-height: 420px; background: linear-gradient(to right, var(--paper) 40%, transparent) left / 40px 100% no-repeat local, linear-gradient(to left, var(--paper) 40%, transparent) right / 40px 100% no-repeat local, linear-gradient(to right, var(--rule), transparent) left / 14px 100% no-repeat, linear-gradient(to left, var(--rule), transparent) right / 14px 100% no-repeat, linear-gradient(to top, var(--paper) 40%, transparent) bottom / 100% 40px no-repeat local, linear-gradient(to top, var(--rule), transparent) bottom / 100% 14px no-repeat }
section { margin: 0 0 28px; padding: 12px 16px 4px; border: 1px solid var(--rule); border-left-width: 4px }
section h2 { margin: 0 0 8px; font-size: 15px }
summary { margin: 36px 0 8px; font-size: 17px; font-weight: 600; cursor: pointer }
thead th { position: sticky; top: 0; background: var(--paper) }
table { border-collapse: collapse; width: 100%; font-size: 13px }
tr { break-inside: avoid }
th, td { padding: 5px 0 5px 16px; border-bottom: 1px solid var(--rule); text-align: left; white-space: nowrap }
.number { text-align: right }
td:not(.number) { white-space: normal }
th { color: var(--soft); font-weight: 600 }
th:first-child, td:first-child { padding-left: 0; text-align: left }
.map th, .map td { text-align: right }
.map tbody th { text-align: left }
.map th { padding-right: 10px }
.map .best { outline: 2px solid var(--line); outline-offset: -2px; font-weight: 600 }
.map td { padding-right: 10px; background: color-mix(in srgb, var(--tone, var(--line)) var(--shade, 0%), transparent) }
.map .minus { --tone: var(--sell) }
pre { margin: 0; padding: 12px 14px; border: 1px solid var(--rule); border-radius: 8px; background: var(--card); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
@media (max-width: 900px) { dl { grid-template-columns: repeat(4, 1fr) } }
@media (max-width: 560px) {
  main { padding: 20px 16px 40px }
  h1 { font-size: 20px }
  dl { grid-template-columns: repeat(2, 1fr) }
  dd { font-size: 16px }
  .plot { height: 200px }
  .low { height: 120px }
  .plot:not(.drawn):has(+ script) .times text:not(:nth-child(4n + 1)) { display: none }
}
@media (forced-colors: active) {
  :root { --chart-text: CanvasText; --chart-grid: color-mix(in srgb, CanvasText 30%, Canvas); --chart-gap: CanvasText; --chart-band: color-mix(in srgb, CanvasText 15%, Canvas) }
  .table { border: 1px solid CanvasText; color: CanvasText; forced-color-adjust: none; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --rule: color-mix(in srgb, CanvasText 45%, Canvas) }
  th:first-child, td:first-child { padding-left: 8px }
  th:last-child, td:last-child { padding-right: 8px }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --grid: #cccccc; --band: #eeeeee; --card: #ffffff; --line: #0550ae; --area: #cfe3ff; --buy: #116329; --sell: #a40e26; --gap: #777777 }
  body { font-size: 11px; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  main { max-width: none; padding: 0 }
  h2 { break-after: avoid }
  .crosshair, .readout, .meaning { display: none }
  .table { overflow: visible; max-height: none }
  th, td { padding: 3px 0 3px 6px; font-size: 9px }
}
`

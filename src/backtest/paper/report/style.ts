/** The style of a report. Buys and sells differ by shape and size, not by colour alone: a sell at a buy hides it only in part. */
export const style = `
:root { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --card: #f6f8fa; --line: #0550ae; --area: #cfe3ff; --buy: #116329; --sell: #a40e26 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --rule: #3d444d; --card: #151b23; --line: #79c0ff; --area: #1b3a5f; --buy: #56d364; --sell: #ff9492 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1000px; margin: 0 auto; padding: 24px 16px 48px }
h1 { margin: 0; font-size: 26px; line-height: 1.2; overflow-wrap: anywhere }
h2 { margin: 32px 0 8px; font-size: 18px }
.range, .note, figcaption, .values, .times, dt { color: var(--soft); font-size: 13px }
.range { margin: 4px 0 20px }
.note { margin: 12px 0 0; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; margin: 0 }
dl div { padding: 10px 12px; border: 1px solid var(--rule); border-radius: 8px; background: var(--card) }
dd { margin: 2px 0 0; font-size: 18px; font-weight: 600; overflow-wrap: anywhere }
figure { margin: 0 0 20px; break-inside: avoid }
.chart { display: flex; gap: 8px; height: 220px; margin-top: 4px }
.values { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 1; min-width: 64px }
svg { flex: 1; min-width: 0; height: 100%; overflow: visible }
path { fill: none; vector-effect: non-scaling-stroke }
.grid { stroke: var(--rule) }
.line { stroke: var(--line); stroke-width: 1.5; stroke-linejoin: round }
.area { fill: var(--area) }
.buy { stroke: var(--buy); stroke-width: 8; stroke-linecap: round }
.sell { stroke: var(--sell); stroke-width: 4; stroke-linecap: square }
.times { display: flex; justify-content: space-between; margin: 4px 0 0 72px }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 13px }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap }
th { color: var(--soft); font-weight: 600 }
th:first-child, td:first-child { padding-left: 0; text-align: left; white-space: normal }
@media (max-width: 480px) {
  h1 { font-size: 22px }
  dl { grid-template-columns: 1fr 1fr }
  .chart { height: 170px }
  .times span { max-width: 45% }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --card: #ffffff; --line: #0550ae; --area: #cfe3ff; --buy: #116329; --sell: #a40e26 }
  body { font-size: 11px; print-color-adjust: exact }
  .table { overflow: visible }
  th, td { padding: 3px 5px; font-size: 9px }
}
`

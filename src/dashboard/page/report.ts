import { reportFormat, type Chart } from '../../view/chart/chart.js'
import { ChartElement } from './chart-element.js'
import { part } from './html.js'

// The script of a report, which is a part of it: `npm run build:chart` bundles it.

for (const data of document.querySelectorAll('figure > script')) {
  const chart = JSON.parse(data.textContent) as Chart
  const figure = data.parentElement ?? document.body
  const name = `Time on the chart ${figure.dataset['title'] ?? ''}`
  new ChartElement(part(figure, '.plot'), name, reportFormat(chart), (zoom) => ({
    ...chart,
    times: zoom ?? chart.times,
  }))
}

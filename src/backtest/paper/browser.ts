import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { paperOn } from '../account/paper.js'

// The paper entry point in a browser. Its types are those of `index.ts`.

export { cancel, closePosition, limit, market, stop, target, trailingStop } from '../account/orders.js'
export { renderReport } from '../results/render-report.js'
export { roundTripsOf } from '../results/round-trips.js'
export { summary, summaryOf } from '../results/summary.js'

// eslint-disable-next-line rxjs-x/finnish -- `paper` without `$` is the public name
export const paper = paperOn()

export const journalEvents = (): never => {
  throw new ConfigurationError('path', 'a browser has no files')
}

import type { Shares } from '../search/scenario.js'
import type { SearchLimits } from '../search/search-seeds.js'
import { clientBugs } from './client-bugs.js'
import { gatewayBugs } from './gateway-bugs.js'
import { natsBugs } from './nats-bugs.js'
import { pageBugs } from './page-bugs.js'

/** A bug that is put back into the sources: one text is replaced by another. */
export interface Bug {
  readonly name: string
  readonly file: string
  readonly edits: readonly (readonly [correct: string, wrong: string])[]
  /** The scenarios that find it, where they are not those of its file. */
  readonly shares?: Partial<Shares>
}

/** All of them. Each text occurs once in its file. */
export const bugs: readonly Bug[] = [...clientBugs, ...pageBugs, ...gatewayBugs, ...natsBugs]

/** The scenarios that find a bug, in 100 simulated hours: those without gateways and pages, unless it is one of these. */
export const searchOf = ({ file, shares }: Bug): SearchLimits => ({
  firstSeed: 1,
  simulatedMs: 100 * 3_600_000,
  shares: {
    webSocket: file.startsWith('src/serve/gateway/') ? 1 : 0,
    nats: file.startsWith('src/serve/nats/') ? 1 : 0,
    cluster: /nats-link|find-gateway/.test(file) ? 1 : 0,
    history: file.startsWith('src/serve/nats/history/') ? 1 : 0,
    mild: 0,
    pages: 0,
    ...shares,
  },
})

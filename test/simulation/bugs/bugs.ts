import type { Shares } from '../search/scenario.js'
import type { SearchLimits } from '../search/search-seeds.js'
import { clientBugs } from './client-bugs.js'
import type { Edits } from './edits.js'
import { gatewayBugs } from './gateway-bugs.js'
import { natsBugs } from './nats-bugs.js'
import { pageBugs } from './page-bugs.js'
import { paperBugs } from './paper-bugs.js'

/** A bug that is put back into the sources. */
export interface Bug extends Edits {
  readonly name: string
  /** The scenarios that find it, where they are not those of clients of the service. */
  readonly shares?: Partial<Shares>
}

export const bugs: readonly Bug[] = [...clientBugs, ...pageBugs, ...gatewayBugs, ...natsBugs, ...paperBugs]

/** The scenarios that find a bug, in 100 simulated hours. */
export const searchOf = ({ shares }: Bug): SearchLimits => ({
  firstSeed: 1,
  simulatedMs: 100 * 3_600_000,
  shares: { webSocket: 0, nats: 0, cluster: 0, mild: 0, pages: 0, ...shares },
})

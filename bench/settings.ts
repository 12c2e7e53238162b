/** How much is measured: everything for results, little for trying out. */
export interface Settings {
  readonly quick: boolean
  /** Rounds of the live-price table, and of the others. */
  readonly liveRounds: number
  readonly rounds: number
  /** More of them where it is the slowest that counts, which the machine makes slow more than the client does. */
  readonly latencyRounds: number
  /** How often a burst like the measured one comes before it. */
  readonly burstsBefore: number
  readonly frames: number
  /** Depth requests before the measured ones, which HTTP clients need many of to be warm, and the measured ones. */
  readonly requestsBefore: number
  readonly requests: number
  /** How long a poll or a rate is watched, in ms. */
  readonly watchMs: number
  /** Fresh processes for each way to import. */
  readonly imports: number
}

export const fullSettings: Settings = {
  quick: false,
  liveRounds: 5,
  rounds: 5,
  latencyRounds: 13,
  burstsBefore: 6,
  frames: 400_000,
  requestsBefore: 40_000,
  requests: 30_000,
  watchMs: 1_500,
  imports: 15,
}

export const quickSettings: Settings = {
  quick: true,
  liveRounds: 2,
  rounds: 1,
  latencyRounds: 1,
  burstsBefore: 1,
  frames: 200_000,
  requestsBefore: 1_000,
  requests: 1_000,
  watchMs: 1_000,
  imports: 3,
}

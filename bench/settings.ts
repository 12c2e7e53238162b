/** The size of a run. */
export interface Settings {
  readonly quick: boolean
  /** Rounds of the table of live prices. */
  readonly liveRounds: number
  /** Rounds of the latency table. More than of the others, because high percentiles vary most with the machine. */
  readonly latencyRounds: number
  /** Rounds of all other tables. */
  readonly rounds: number
  /** Bursts before the measured one. */
  readonly warmUpBursts: number
  /** Frames of a burst. */
  readonly frames: number
  /** Depth requests before the measured ones. */
  readonly warmUpRequests: number
  readonly requests: number
  /** Duration of one send rate, and a sixth of that of the polls, in ms. */
  readonly observationMs: number
  /** New processes for each measured import. */
  readonly imports: number
  /** Rows of a recording. */
  readonly replayRows: number
  /** Rows of the recording of a day. */
  readonly dayRows: number
}

/** For RESULTS.md. */
export const fullSettings: Settings = {
  quick: false,
  liveRounds: 5,
  latencyRounds: 13,
  rounds: 5,
  warmUpBursts: 6,
  frames: 400_000,
  warmUpRequests: 40_000,
  requests: 30_000,
  observationMs: 1_500,
  imports: 15,
  replayRows: 300_000,
  dayRows: 10_000_000,
}

/** Checks that the benchmark runs. The figures have no meaning. */
export const quickSettings: Settings = {
  quick: true,
  liveRounds: 2,
  latencyRounds: 1,
  rounds: 1,
  warmUpBursts: 1,
  frames: 200_000,
  warmUpRequests: 1_000,
  requests: 1_000,
  observationMs: 1_000,
  imports: 3,
  replayRows: 100_000,
  dayRows: 200_000,
}

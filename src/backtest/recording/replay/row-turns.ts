import { macrotasks, promiseDrain, promiseSettler } from '../../../base/time/macrotask.js'

/** Number of rows after which the replay yields to the event loop. */
const rowsPerTurn = 256

/** At the start, the replay yields after each of this number of rows, to detect a strategy that waits for I/O. */
const observedRows = 1024

/**
 * Settles the promises of the strategies after each row, for any division of the recording into chunks. Decides which rows
 * share a turn of the event loop: if a strategy waits for I/O, each row has a turn of its own. Otherwise, the strategy would
 * wait for hundreds of rows.
 */
export class RowTurns {
  /** True if a strategy has worked in a later turn than its row: after I/O, for example. */
  private worksInLaterTurns = false
  private rows = 0
  private rowsOfTurn = 0
  /** True while a row is emitted, and while the promises of the strategies settle after it. */
  private isSettling = false
  private readonly afterPromises = promiseSettler()

  /** `onSettled`: called when the promises of a row have settled. */
  constructor(private readonly onSettled: (() => void) | undefined) {}

  /**
   * Calls `playNext` for each row, up to the one for which it returns false: there is none. A row that is not due returns a
   * promise. Callbacks instead of a loop with `await`, because this is the hot path.
   */
  play(playNext: () => boolean | Promise<boolean>): Promise<void> {
    return new Promise((resolve) => {
      let drain: (() => void) | undefined
      const startTurn = (): void => {
        let hasThrown = true
        try {
          this.rowsOfTurn = 0
          drain = promiseDrain()
          if (drain === undefined) void Promise.resolve().then(playRows)
          else playRows()
          hasThrown = false
        } finally {
          // An exception of a tick leaves the macrotask, as always, and Node reports it. It does not stop the replay.
          if (hasThrown) macrotasks()(afterRow)
        }
      }
      const playRows = (): void => {
        do {
          const played = playNext()
          if (played === false) return resolve()
          if (played !== true) return void played.then((isPlayed) => (isPlayed ? settleLater() : resolve()))
          if (drain === undefined) return this.afterPromises(afterRow)
          drain()
          this.endRow()
        } while (this.sharesTurn)
        macrotasks()(startTurn)
      }
      const afterRow = (): void => {
        this.endRow()
        if (drain === undefined && this.sharesTurn) playRows()
        else macrotasks()(startTurn)
      }
      // Not in a macrotask of its own: the next rows start one.
      const settleLater = (): void => {
        this.rowsOfTurn = rowsPerTurn
        this.afterPromises(afterRow)
      }
      macrotasks()(startTurn)
    })
  }

  /** Called before the events of a row are emitted. A header has a turn of its own: strategies subscribe after the first one. */
  startRow(isHeader: boolean): void {
    if (isHeader) this.rowsOfTurn = rowsPerTurn
    else this.rows++
    this.rowsOfTurn++
    this.isSettling = true
  }

  /** Called when a strategy subscribes or emits in real time. */
  onRealTime(): void {
    if (this.isSettling) return
    if (!this.worksInLaterTurns && this.rows >= observedRows) warnOfLaterTurns()
    this.worksInLaterTurns = true
  }

  private endRow(): void {
    this.isSettling = false
    this.onSettled?.()
  }

  /** True if the next row has the same turn. */
  private get sharesTurn(): boolean {
    return !this.worksInLaterTurns && this.rows >= observedRows && this.rowsOfTurn < rowsPerTurn
  }
}

const warnOfLaterTurns = (): void =>
  console.warn(
    'svc-streams: a strategy waits for I/O or for real timers, such as those that it starts after a promise, but did not in ' +
      `the first ${observedRows} rows. Its result may depend on how the recording is divided into chunks.`,
  )

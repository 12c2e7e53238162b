import { macrotasks } from '../../base/time/macrotask.js'
import { promiseDrain, promiseSettler } from './promise-settler.js'
import { keepDelegates } from './rx-context.js'

/** Number of rows after which the replay yields to the event loop. */
const rowsPerTurn = 256

/** At the start, the replay yields after each of this number of rows, to detect a strategy that waits for I/O. */
const observedRows = 1024

/** What plays the rows. Methods instead of closures, because V8 compiles a closure of each replay anew. */
export interface RowPlayer {
  /** Plays the next row. False if there is none. A row that is not due returns a promise. */
  playNext(): boolean | Promise<boolean>
}

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

  /** Plays all rows. Callbacks instead of a loop with `await`, because this is the hot path. */
  play(player: RowPlayer): Promise<void> {
    return new Promise((resolve) => {
      const startTurn = (): void => {
        let hasThrown = true
        try {
          this.rowsOfTurn = 0
          const drain = promiseDrain()
          if (drain === undefined) void Promise.resolve().then(playRow)
          else keepDelegates(() => endTurn(this.playRows(player, drain)))
          hasThrown = false
        } finally {
          // An exception of a tick leaves the macrotask, as always, and Node reports it. It does not stop the replay.
          if (hasThrown)
            macrotasks()(() => {
              this.endRow()
              startTurn()
            })
        }
      }
      const playRow = (): void => {
        const played = player.playNext()
        if (played === true) this.afterPromises(afterRow)
        else endTurn(played)
      }
      const afterRow = (): void => {
        this.endRow()
        if (this.sharesTurn) playRow()
        else macrotasks()(startTurn)
      }
      const endTurn = (played: boolean | Promise<boolean>): void => {
        if (played === true) macrotasks()(startTurn)
        else if (played === false) resolve()
        else void played.then((isPlayed) => (isPlayed ? settleLater() : resolve()))
      }
      // Not in a macrotask of its own: the next rows start one.
      const settleLater = (): void => {
        this.rowsOfTurn = rowsPerTurn
        this.afterPromises(afterRow)
      }
      macrotasks()(startTurn)
    })
  }

  /** Plays the rows of a turn. Returns true, or what `playNext` returned for a row that it has not played. */
  private playRows(player: RowPlayer, drain: () => void): boolean | Promise<boolean> {
    do {
      const played = player.playNext()
      if (played !== true) return played
      drain()
      this.endRow()
    } while (this.sharesTurn)
    return true
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

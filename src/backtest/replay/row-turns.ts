import { macrotasks } from '../../base/time/macrotask.js'
import { promiseDrain, promiseSettler } from './promise-settler.js'

/** Number of rows after which the replay yields to the event loop. */
const rowsPerTurn = 256

/** What plays the rows. Methods instead of closures, because V8 compiles a closure of each replay anew. */
export interface RowPlayer {
  /** Plays the next row. False if there is none. A row that is not due returns a promise. */
  playNext(): boolean | Promise<boolean>
}

/** Settles the promises of the strategies after each row, for any division of the recording into chunks. */
export class RowTurns {
  private rowsOfTurn = 0
  private readonly afterPromises = promiseSettler()

  /** Plays all rows. Callbacks instead of a loop with `await`, because this is the hot path. */
  play(player: RowPlayer): Promise<void> {
    return new Promise((resolve) => {
      const startTurn = (): void => {
        this.rowsOfTurn = 0
        let hasThrown = true
        try {
          const drain = promiseDrain()
          if (drain === undefined) void Promise.resolve().then(playRow)
          else endTurn(this.playRows(player, drain))
          hasThrown = false
        } finally {
          // An exception of a tick leaves the macrotask, as always, and Node reports it. It does not stop the replay.
          if (hasThrown) macrotasks()(startTurn)
        }
      }
      const playRow = (): void => {
        const played = player.playNext()
        if (played === true) this.afterPromises(afterRow)
        else endTurn(played)
      }
      const afterRow = (): void => {
        if (this.sharesTurn()) playRow()
        else endTurn(true)
      }
      const endTurn = (played: boolean | Promise<boolean>): void => {
        if (played === true) macrotasks()(startTurn)
        else if (played === false) resolve()
        else void played.then((isPlayed) => (isPlayed ? this.afterPromises(() => endTurn(true)) : resolve()))
      }
      macrotasks()(startTurn)
    })
  }

  /** The next row has a turn of its own: strategies subscribe after the first header. */
  endTurn(): void {
    this.rowsOfTurn = rowsPerTurn
  }

  /** Plays the rows of a turn. Returns true, or what `playNext` returned for a row that it has not played. */
  private playRows(player: RowPlayer, drain: () => void): boolean | Promise<boolean> {
    do {
      const played = player.playNext()
      if (played !== true) return played
      drain()
    } while (this.sharesTurn())
    return true
  }

  private sharesTurn(): boolean {
    return ++this.rowsOfTurn < rowsPerTurn
  }
}

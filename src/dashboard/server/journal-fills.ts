import { stat } from 'node:fs/promises'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, exhaustMap, ignoreElements, merge, share, timer, type Observable } from 'rxjs'
import { journalStart, readJournal } from '../../backtest/account/journal/journal-file.js'
import type { Filled, PaperEvent } from '../../backtest/account/events.js'
import { unreadableRecording } from '../../backtest/recording/codec/errors.js'
import type { RecordingError } from '../../base/errors/model.js'
import { rxClock } from '../../base/time/clock.js'
import { shortPrice, shortTokens } from '../../view/texts.js'
import type { FillEntry, PageConfig } from '../../view/served.js'

/** Time between two readings, in ms. */
const readInterval = 1000

/** Number of fills that a page gets. */
const maxFills = 1000

/** The fills of the journal of an account, which another process writes. Neither writes nor locks the journal. */
export class JournalFills {
  private readonly shown$ = new BehaviorSubject<readonly FillEntry[]>([])
  private fills: readonly FillEntry[] = []
  private file = { ino: 0, size: 0 }
  private end = journalStart
  private count = 0
  private error: RecordingError | undefined
  /** The position in each token, in base-token units. */
  private readonly positions = new Map<string, bigint>()

  private readonly reading$ = timer(0, readInterval).pipe(
    exhaustMap(() => this.read()),
    ignoreElements(),
    share(),
  )
  /** The entries, the newest first, and again at each change, while it is subscribed to. An error becomes an entry. */
  readonly entries$: Observable<readonly FillEntry[]> = merge(this.shown$, this.reading$)

  constructor(
    private readonly path: string,
    private readonly tokens: PageConfig['tokens'],
  ) {}

  get entries(): readonly FillEntry[] {
    return this.shown$.value
  }

  /** Reads what was added. A journal that does not exist yet has no fills. After an error, reads the journal from its start. */
  async read(): Promise<Either<RecordingError, unknown>> {
    const file = await this.stat()
    if (isLeft(file)) return this.fail(file.left)
    const { ino, size } = file.right
    if (ino === this.file.ino && size === this.file.size) return right(undefined)
    // Also a journal that was moved away, emptied or repaired.
    const isOther = ino !== this.file.ino || size < this.end.bytes || this.error !== undefined
    this.file = file.right
    const part = await readJournal(this.path, isOther ? journalStart : this.end, isFill)
    if (isLeft(part)) return this.fail(part.left)
    this.end = part.right.end
    const fills = part.right.events.filter(isFill)
    if (isOther) this.positions.clear()
    if (isOther || fills.length > 0) {
      const added = fills.map((event) => this.entryOf(event)).reverse()
      this.fills = [...added, ...(isOther ? [] : this.fills)].slice(0, maxFills)
      this.shown$.next(this.fills)
    }
    this.error = undefined
    return part
  }

  /** A journal that does not exist is an empty one, or the one that was read before. */
  private async stat(): Promise<Either<RecordingError, JournalFills['file']>> {
    try {
      return right(await stat(this.path))
    } catch (thrown) {
      const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
      return isMissing ? right(this.file) : left(unreadableRecording(this.path, 1, thrown))
    }
  }

  private fail(error: RecordingError): Either<RecordingError, never> {
    const { message } = error
    if (message !== this.error?.message) {
      const at = rxClock.wallClock()
      this.shown$.next([{ id: ++this.count, at, tone: 'bad', text: message, symbols: [] }, ...this.fills])
    }
    this.error = error
    return left(error)
  }

  private entryOf({ at, symbol, side, quantity, price }: Filled): FillEntry {
    const position = (this.positions.get(symbol) ?? 0n) + (side === 'buy' ? quantity : -quantity)
    this.positions.set(symbol, position)
    const decimals = this.tokens.find((token) => token.symbol === symbol)?.decimals ?? undefined
    const amount = (units: bigint): string =>
      `${shortTokens(units, decimals)}${decimals === undefined ? ' units' : ''}`
    const text = `${side} ${amount(quantity)} at ${shortPrice(price)} USD, position ${amount(position)}`
    return { id: ++this.count, at, tone: 'neutral', text, symbols: [symbol], mark: { side, price } }
  }
}

const isFill = (event: PaperEvent): event is Filled => event._tag === 'Filled'

import { isLeft, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Observable, type Subscribable } from 'rxjs'
import { isAddress } from '../../../base/domain/topic.js'
import { isDecimals } from '../../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { writeError } from '../codec/errors.js'
import type { WriteError } from '../../../base/errors/model.js'
import type { Check, OptionTable } from '../../../base/option-kinds/option.js'
import { recordOption } from '../../option-kinds.js'
import { checkValue, parseOptions } from '../../../base/option-kinds/parse-options.js'
import { nextTurn } from '../../../base/time/clock.js'
import type { DefinedTokens, TokenDefinition } from '../../../client/tokens.js'
import { createHeader, type DepthRow, type PriceRow, type RecordingHeader } from '../codec/row.js'
import { LineRecorder, type LineWriter, type RecordResult, type RecordSummary } from './line-recorder.js'
import { OwnRows, type OwnRow } from './own-rows.js'
import { targetCheck } from './record.js'

/** Rows, piece by piece: an async iterable of rows costs more than its rows. */
export type OwnRowPieces = AsyncIterable<readonly OwnRow[]>

/** Own data: an iterable, an async iterable or an observable. */
export type OwnRowSource = Iterable<OwnRow> | AsyncIterable<OwnRow> | Subscribable<OwnRow>

export interface WriteRecordingOptions {
  /** The tokens of `defineTokens`, for depths: their decimals give `totalQuantityUsd`. Default: none. */
  readonly tokens?: DefinedTokens
}

/** What is known of a recording before its rows. */
export type KnownHeader = Partial<
  Pick<RecordingHeader, 'topics' | 'mints' | 'assumedDepth' | 'invalidRows' | 'candles'>
>

/** A new file, which has its path only after `finish`. Each method throws if it fails. */
export interface NewRecording extends LineWriter {
  readonly finish: () => void
  /** Removes what was written. */
  readonly discard: () => void
}

/** Throws if the file cannot be created, or the path exists. */
export type CreateRecording = (path: string) => NewRecording

/** The `writeRecording` of a platform. `undefined`: the platform has no files. */
export const writeRecordingOn =
  (createRecording: CreateRecording | undefined) =>
  (
    rows: OwnRowSource,
    to: string | LineWriter,
    options: WriteRecordingOptions = {},
  ): TaskEither<WriteError, RecordSummary> => {
    checkValue('rows', rows, rowsCheck)
    checkValue('to', to, targetCheck)
    const { tokens = {} } = parseOptions(optionTable, options, { allowsUndefined: true })
    const definitions = Object.values(tokens)
    if (typeof to !== 'string') return () => new RowWriter(definitions, to).writeAll(rows)
    if (createRecording === undefined)
      throw new ConfigurationError('to', 'expected a writable: a browser has no files')
    return () => writeFile(() => createRecording(to), rows, definitions)
  }

/** Writes a file, which has its path only if all rows are valid. */
export const writeFile = async (
  create: () => NewRecording,
  rows: OwnRowSource | OwnRowPieces,
  tokens: readonly TokenDefinition[],
  known?: KnownHeader,
): Promise<RecordResult> => {
  let file: NewRecording | undefined
  try {
    file = create()
    const result = await new RowWriter(tokens, file, known).writeAll(rows)
    if (isLeft(result)) file.discard()
    else file.finish()
    return result
  } catch (thrown) {
    file?.discard()
    return left(writeError(thrown))
  }
}

const rowsCheck: Check = {
  expected: 'an iterable, an async iterable or an observable',
  holds: (rows) =>
    typeof rows === 'object' &&
    rows !== null &&
    ['subscribe', Symbol.iterator, Symbol.asyncIterator].some((name) => name in rows),
}

const isToken = (value: unknown): boolean => {
  const { address, decimals } = value as Partial<TokenDefinition>
  return isAddress(address) && isDecimals(decimals)
}

const optionTable = {
  tokens: recordOption<DefinedTokens>('the tokens of defineTokens', isToken),
} satisfies OptionTable<WriteRecordingOptions>

/** The number of lines that a slow writable may hold. */
const maxPending = 1000

/** The number of rows after which the event loop runs: an iterable must not block it. */
const rowsPerTurn = 10_000

/** The number of first rows that are held back, because the header names their topics and mints. */
const earlyRows = 10_000

class RowWriter {
  private count = 0
  private early: (PriceRow | DepthRow)[] = []
  private started: { readonly recorder: LineRecorder; readonly header: RecordingHeader } | undefined
  private readonly ownRows: OwnRows

  constructor(
    tokens: readonly TokenDefinition[],
    private readonly to: LineWriter,
    private readonly known: KnownHeader = {},
  ) {
    this.ownRows = new OwnRows(tokens, known)
  }

  async writeAll(rows: OwnRowSource | OwnRowPieces): Promise<RecordResult> {
    try {
      await this.write(rows)
    } catch (thrown) {
      const failure = thrown instanceof InvalidRow ? writeError(thrown, this.count) : writeError(thrown)
      if (this.started === undefined) return left(failure)
      this.started.recorder.fail(failure)
    }
    return (this.started ?? this.start()).recorder.stop()
  }

  private async write(rows: OwnRowSource | OwnRowPieces): Promise<void> {
    if ('subscribe' in rows)
      await new Observable<OwnRow>((subscriber) => rows.subscribe(subscriber)).forEach((row) => this.add(row))
    else if (Symbol.iterator in rows) await this.writePiece(rows)
    else for await (const each of rows) await this.writePiece(isPiece(each) ? each : [each])
  }

  private async writePiece(rows: Iterable<OwnRow>): Promise<void> {
    for (const row of rows) {
      this.add(row)
      const recorder = this.started?.recorder
      if (recorder !== undefined && recorder.pending > maxPending) await recorder.drained()
      if (this.count % rowsPerTurn === 0) await nextTurn()
    }
  }

  /** Throws for an invalid row, and when the recording has ended, with an error of its own. */
  private add(own: OwnRow): void {
    this.count++
    const { ownRows } = this
    const { nameCount } = ownRows
    const row = ownRows.rowOf(own)
    if (typeof row === 'string') throw new InvalidRow(`row ${this.count}: ${row}`)
    if (this.started === undefined) {
      this.early.push(row)
      if (this.early.length === earlyRows) this.start()
      return
    }
    const { recorder, header } = this.started
    if (ownRows.nameCount > nameCount) recorder.add({ ...header, ...ownRows.names, continues: header.at })
    recorder.add(row)
    if (recorder.hasEnded) throw new Error('the recording has ended')
  }

  private start(): NonNullable<typeof this.started> {
    const header = { ...createHeader(this.early[0]?.at ?? 0), ...this.known, ...this.ownRows.names }
    const recorder = new LineRecorder(this.to, header)
    for (const row of this.early) recorder.add(row)
    this.early = []
    return (this.started = { recorder, header })
  }
}

class InvalidRow extends Error {}

const isPiece = (rows: OwnRow | readonly OwnRow[]): rows is readonly OwnRow[] => Array.isArray(rows)

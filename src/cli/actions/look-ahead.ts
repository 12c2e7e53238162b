import type { Command } from 'commander'
import { defer, Subject, takeUntil, tap } from 'rxjs'
import { counted, formatDuration, formatTime } from '../../view/texts.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { printable } from '../../base/errors/text.js'
import type { Output } from '../../backtest/sweep/messages.js'
import { findLookAhead, type LookAheadResult } from '../../backtest/sweep/look-ahead/find-look-ahead.js'
import {
  countLines,
  locateLine,
  prefixRuns,
  type LinePosition,
} from '../../backtest/sweep/look-ahead/prefix-runs.js'
import { packagedProgram } from '../../backtest/sweep/worker-pool.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { backtestFiles, checkedStrategy, jsonText, strategyParameter } from './backtest.js'
import type { Io } from '../io.js'
import { orFail } from '../output/error-text.js'
import { outputJson } from '../output/json.js'
import { showProgressLine } from '../output/terminal.js'
import { unlessStopped } from '../stop.js'

interface LookAheadFlags {
  readonly parameter?: string
  readonly prefixes: number
  readonly workers: number
  readonly json?: boolean
}

/** Compares the outputs of a strategy over prefixes of a recording. Throws unless all are equal. */
export const checkLookAhead = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { parameter: text, prefixes, workers, json = false }: LookAheadFlags,
): Promise<void> => {
  const backtest = backtestFiles(command, files)
  const parameter = strategyParameter(command, text)
  using strategy = await checkedStrategy(backtest)

  const paths = backtest.recordings
  const lines = orFail(await countLines(paths))
  const program = { url: packagedProgram() }
  const runs = prefixRuns({ program, paths, strategy: strategy.url.href, parameter })
  const { countRun, hide } = showRuns(io)
  const stopped$ = new Subject<void>()
  const found$ = defer(() =>
    findLookAhead(
      { lines, prefixes, workers },
      {
        run$: (length) => runs.run$(length).pipe(tap(countRun), takeUntil(stopped$)),
        runTogether$: (counts) => runs.runTogether$(counts).pipe(tap(countRun), takeUntil(stopped$)),
      },
    ),
  )
  const result = await unlessStopped(io, found$, comparisonProgress).finally(() => {
    hide()
    stopped$.next()
  })
  if (result !== undefined) await report(io, result, paths, json)
}

export const comparisonProgress = (): string => ': the comparison has not ended'

/** Shows the number of runs on a terminal. `countRun` counts one. */
const showRuns = (io: Io) => {
  const startAt = rxClock.wallClock()
  let runs = 0
  const countRun = (): void => {
    runs++
  }
  const progress = () => `${runs} runs  ${formatDuration(rxClock.wallClock() - startAt)}`
  const { hide } = showProgressLine(io, false, progress)
  return { countRun, hide }
}

const report = async (
  io: Io,
  result: LookAheadResult,
  paths: readonly string[],
  json: boolean,
): Promise<void> => {
  const print = (object: object, ...text: readonly string[]): void =>
    void io.stdout.write(`${json ? outputJson({ _tag: result._tag, ...object }) : text.join('\n')}\n`)
  switch (result._tag) {
    case 'Equal': {
      const { outputs, prefixes } = result
      print(
        { outputs, prefixes },
        `equal: ${counted(outputs, 'output')}, over ${counted(prefixes, 'prefix', 'prefixes')} of the recording`,
      )
      return
    }
    case 'LookAhead': {
      const output = await locateLine(paths, result.outputLine)
      const changedBy = await locateLine(paths, result.changedBy)
      const { before, after } = result
      print(
        { output, changedBy, before: eventOf(before), after: eventOf(after) },
        `output of   ${positionText(output)}`,
        `changed by  ${positionText(changedBy)}`,
        `without it  ${eventText(before)}`,
        `with it     ${eventText(after)}`,
      )
      throw new Error('the strategy looks ahead: an output changes with a later line')
    }
    case 'NotDeterministic': {
      const { lines, first, second } = result
      print(
        { first: first ?? null, second: second ?? null },
        `first run   ${outputText(first)}`,
        `second run  ${outputText(second)}`,
      )
      throw new Error(
        `the strategy is not deterministic: two runs over the same ${counted(lines, 'line')} differ`,
      )
    }
    case 'Failed': {
      const { event, line } = result.output
      const at = await locateLine(paths, line)
      print({ event, at }, eventText(result.output))
      throw new Error(`the strategy fails at ${positionText(at)}`)
    }
    case 'NoOutput':
      print({}, 'no output')
      throw new Error(
        'the strategy emits no value before the end of the recording: there is nothing to compare',
      )
    default:
      return assertNever(result)
  }
}

const positionText = ({ source, line, at }: LinePosition): string =>
  `line ${line} of ${printable(source)}, ${formatTime(at)}`

const eventOf = (output: Output | undefined): Output['event'] | null => output?.event ?? null

/** An output with the number of lines before it. Two outputs may differ only in this number. */
const outputText = (output: Output | undefined): string =>
  output === undefined ? eventText(output) : `after ${counted(output.line, 'line')}: ${eventText(output)}`

const eventText = (output: Output | undefined): string => {
  const event = output?.event
  switch (event?._tag) {
    case undefined:
      return 'no output'
    case 'Value':
      return jsonText(event.value)
    case 'Completed':
      return 'the stream completes'
    case 'Failed':
      return printable(`the stream fails: ${event.message}`)
  }
}

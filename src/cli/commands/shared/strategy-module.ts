import { createRequire } from 'node:module'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mapLeft } from 'fp-ts/lib/Either.js'
import { catchError, from, throwError, type Observable } from 'rxjs'
import { paperTable, settingsOf, type Costs } from '../../../backtest/account/options.js'
import {
  strategyFault,
  strategyText,
  sweepError,
  type SweepFault,
} from '../../../backtest/sweep/sweep-error.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import { messageOf, printable } from '../../../base/errors/text.js'
import type { MarketClient, Order, PaperAccount, PaperOptions } from '../../../backtest/paper/index.js'
import { importStrategy, type StrategyExports } from '../../../backtest/sweep/worker/load-strategy.js'
import { isOfOtherRxjs } from '../../../testing/other-rxjs.js'
import { orFail } from '../../render/error-text.js'
import { onlyGiven, parsedFlag, parseLatency, parseNumber, type Values } from '../../target/parse-flags.js'
import { flagName } from '../../target/source-flags.js'

/** The module of a strategy with an account, for the help of commands. */
export const strategyHelp = `The module of the strategy has two exports: (client, account, parameter) => Observable of orders as the default, and options,
which are those of paper in svc-streams/paper, such as { tokens, cash: 100_000, feeBps: 2, slippageBps: 1, latency: 50 }.
latency, feeBps and slippageBps have no default: give them there, or by --latency, --fee-bps and --slippage-bps.
TypeScript runs from Node 22.18 on; with an older Node it is bundled by the esbuild of the project.

Each fill, rejection and cancellation is a line; the last lines are the summary. A figure without a meaning is -.`

/** The costs of an account, which override those of the options of the module. */
export const costFlags = {
  latency: parsedFlag('--latency <ms>', 'time from a decision to its fill, such as 50ms', parseLatency),
  feeBps: parsedFlag('--fee-bps <n>', 'fee of a fill, in basis points', parseNumber(paperTable.feeBps)),
  slippageBps: parsedFlag(
    '--slippage-bps <n>',
    'what a fill pays beyond the price, in basis points',
    parseNumber(paperTable.slippageBps),
  ),
}

export const costsOf = ({ latency, feeBps, slippageBps }: Values<typeof costFlags>): Costs =>
  onlyGiven({ latency, feeBps, slippageBps })

export interface StrategyModule {
  readonly strategy$: (client: MarketClient, account: PaperAccount, parameter: unknown) => Observable<Order>
  readonly options: PaperOptions
}

/** Imports the module of a strategy. `costs` override those of its options. Throws if that fails, or an export is missing. */
export const importStrategyModule = async (path: string, costs: Costs): Promise<StrategyModule> => {
  using module = await runnableModule(path)
  const { strategy: strategy$, options } = await exportsOf(module)
  if (typeof options !== 'object' || options === null)
    throw new Error(
      `${printable(path)}: expected an export with the name options, such as { tokens, cash: 100_000 }`,
    )
  const failure = (thrown: unknown): Error =>
    new Error(`${printable(path)}: the strategy failed: ${strategyText(strategyFault(thrown).cause)}`, {
      cause: thrown,
    })
  return {
    strategy$: (...args) => {
      try {
        const order$ = (strategy$ as StrategyModule['strategy$'])(...args)
        // An observable of another copy of RxJS as it is: the account of a replay reports it.
        if (isOfOtherRxjs(order$)) return order$
        return from(order$).pipe(catchError((thrown: unknown) => throwError(() => failure(thrown))))
      } catch (thrown) {
        return throwError(() => failure(thrown))
      }
    },
    options: withCosts(path, options as PaperOptions, costs),
  }
}

export const exportsOf = async ({ url }: RunnableModule): Promise<StrategyExports> =>
  orFail(mapLeft((fault: SweepFault) => sweepError(undefined, fault))(await importStrategy(url.href)))

/** The options of a module with the costs of the flags. Throws if they are not valid, for a cost with the name of its flag. */
export const withCosts = (path: string, options: PaperOptions, costs: Costs): PaperOptions => {
  const given = { ...options, ...costs }
  try {
    settingsOf(given)
    return given
  } catch (thrown) {
    const option = thrown instanceof ConfigurationError ? thrown.option : ''
    const flag = Object.hasOwn(costFlags, option) ? `; flag: ${flagName(option)}` : ''
    throw new Error(`${printable(path)}: options: ${messageOf(thrown)}${flag}`, { cause: thrown })
  }
}

/** A module that each Node runs. Disposed of when nothing imports it any more. */
export interface RunnableModule extends Disposable {
  readonly url: URL
}

/** The module itself; a bundle of a module in TypeScript, where Node does not run that. Throws if it does not exist. */
export const runnableModule = async (given: string): Promise<RunnableModule> => {
  const path = resolve(given)
  if (!existsSync(path)) throw new Error(`${printable(given)}: the module of the strategy does not exist`)
  const isRunnable = !/\.[cm]?ts$/i.test(path) || Boolean(Reflect.get(process.features, 'typescript'))
  return isRunnable ? { url: pathToFileURL(path), [Symbol.dispose]: () => undefined } : bundleOf(path)
}

const bundleOf = async (path: string): Promise<RunnableModule> => {
  // Inside the project, so that the bundle finds the packages that it imports.
  const folder = mkdtempSync(join(path, '..', '.svc-streams-'))
  const outfile = join(folder, `${parse(path).name}.mjs`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const { build } = createRequire(path)('esbuild') as Esbuild
    const settings = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const
    await build({ entryPoints: [path], outfile, sourcemap: 'inline', logLevel: 'silent', ...settings })
    return { url: pathToFileURL(outfile), [Symbol.dispose]: remove }
  } catch (thrown) {
    remove()
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown
    throw new Error(
      `${printable(path)}: Node ${process.versions.node} does not run TypeScript; use Node 22.18 or newer, or install esbuild: npm install --save-dev esbuild (${messageOf(thrown).split('\n')[0]})`,
      { cause: thrown },
    )
  }
}

/** The part of esbuild that is used: the package of the project may be of any version. */
interface Esbuild {
  readonly build: (options: Readonly<Record<string, unknown>>) => Promise<unknown>
}

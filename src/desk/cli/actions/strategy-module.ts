import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Observable } from 'rxjs'
import { messageOf, printable } from '../../../base/errors/text.js'
import type { MarketClient, Order, PaperAccount, PaperOptions } from '../../../backtest/paper/index.js'

/** A strategy with an account, as its module exports it. */
export interface StrategyModule {
  readonly strategy$: (client: MarketClient, account: PaperAccount, parameter: unknown) => Observable<Order>
  readonly options: PaperOptions
}

/** Imports the module of a strategy. Throws if that fails, or an export is missing. */
export const importStrategy = async (path: string): Promise<StrategyModule> => {
  const module = (await importModule(resolve(path))) as Readonly<Record<string, unknown>>
  const { default: strategy$, options } = module
  if (typeof strategy$ !== 'function')
    throw new Error(
      `${printable(path)}: expected a function (client, account, parameter) as the default export`,
    )
  if (typeof options !== 'object' || options === null)
    throw new Error(`${printable(path)}: expected an export options, such as { tokens, cash: 100_000 }`)
  return { strategy$: strategy$ as StrategyModule['strategy$'], options: options as PaperOptions }
}

const importModule = async (path: string): Promise<unknown> => {
  try {
    return await import(pathToFileURL(path).href)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw thrown
    return importBundled(path)
  }
}

/** Where Node does not run TypeScript: bundles the module by the esbuild of its project. */
const importBundled = async (path: string): Promise<unknown> => {
  // Inside the project, so that the bundle finds the packages that it imports.
  const folder = mkdtempSync(join(path, '..', '.svc-streams-'))
  const outfile = join(folder, 'strategy.mjs')
  try {
    const { build } = createRequire(path)('esbuild') as Esbuild
    const settings = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const
    await build({ entryPoints: [path], outfile, sourcemap: 'inline', logLevel: 'silent', ...settings })
    return await import(pathToFileURL(outfile).href)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown
    throw new Error(
      `${printable(path)}: Node ${process.versions.node} does not run TypeScript; use Node 22.18 or newer, or install esbuild: npm install --save-dev esbuild (${messageOf(thrown).split('\n')[0]})`,
      { cause: thrown },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The part of esbuild that is used: the package of the project may be of any version. */
interface Esbuild {
  readonly build: (options: Readonly<Record<string, unknown>>) => Promise<unknown>
}

import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Observable } from 'rxjs'
import { inject } from 'vitest'
import type { SweepOptions, SweepResult } from '../../../../src/backtest/sweep/index.js'
import { sweepOn, type SweepSource } from '../../../../src/backtest/sweep/sweep.js'
import type { WorkerProgram } from '../../../../src/backtest/sweep/worker-pool.js'
import { header, priceRow, recordingText } from '../../recording/support/recordings.js'

/** A parameter of `strategy.mjs`. */
export interface Behaviour {
  readonly kind: string
  readonly [option: string]: unknown
}

/** A new folder, in which modules find the packages. */
export const moduleFolder = (): string => mkdtempSync(join(inject('compiledCopy'), 'sweep-'))

/** The same for a module that the process of the test imports: it shares the RxJS of the test. */
export const inProcessFolder = (): string => mkdtempSync(join(inject('compiledCopy'), 'in-process/sweep-'))

/** Writes a file into a new folder. Returns its path. */
export const newModule = (name: string, text: string): string => {
  const path = join(moduleFolder(), name)
  writeFileSync(path, text)
  return path
}

/** A copy of a module that a command in the process of the test imports. */
export const forProcess = (module: string): string => {
  const copy = join(inProcessFolder(), basename(module))
  cpSync(module, copy)
  return copy
}

/** The URL of `strategy.mjs`, beside the packages. */
export const strategy = (): URL => {
  const path = join(moduleFolder(), 'strategy.mjs')
  cpSync(fileURLToPath(new URL('strategy.mjs', import.meta.url)), path)
  return pathToFileURL(path)
}

/** Writes a recording with one price each 100 ms. Returns its path. */
export const recordingOf = (rows: number, damage = ''): string =>
  newModule(
    'market.ndjson',
    [header, ...Array.from({ length: rows }, (_, row) => priceRow(100 * row, 100 + (row % 17)))]
      .map((row) => recordingText(row))
      .join('') + damage,
  )

/** The program of the worker threads: in the compiled copy, or in the installed package. */
export const compiledProgram = (): URL => {
  const file = 'dist/sweep/worker/main.js'
  const compiled = join(inject('compiledCopy'), file)
  const installed = join(inject('compiledCopy'), '../node_modules/svc-streams', file)
  return pathToFileURL(existsSync(compiled) ? compiled : installed)
}

/** `sweep` with the compiled program. */
export const runSweep = <A = unknown>(
  source: SweepSource,
  parameters: readonly Behaviour[],
  options: SweepOptions = {},
  limits: Omit<WorkerProgram, 'url'> = {},
  module = strategy(),
): Observable<SweepResult<Behaviour, A>> =>
  sweepOn({ program: () => ({ url: compiledProgram(), ...limits }) })(source, module, parameters, options)

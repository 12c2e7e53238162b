#!/usr/bin/env node
import { outputClosed } from './io.js'
import { missingPackage } from './manifest.js'

// A write error is a failure. A closed pipe, such as that of `head`, is not.
outputClosed(process.stdout).catch((thrown: unknown) => {
  process.exitCode = 1
  process.stderr.write(`error: standard output cannot be written: ${(thrown as Error).message}\n`)
})
// An error message that cannot be written must not change the exit code.
process.stderr.on('error', () => undefined)
/** Nothing is left to do, but the command has not ended. */
const onStuck = (): void => {
  process.exitCode = 1
  process.stderr.write(
    'error: the command waits for a promise that never settles, such as an await of a strategy\n',
  )
}
process.once('beforeExit', onStuck)
const args = process.argv.slice(2)
try {
  // Loaded here, because they import packages that an installation may lack.
  const [{ createProgram }, { run }] = await Promise.all([import('./program.js'), import('./run.js')])
  const exitCode = await run(await createProgram(process, args), args, process)
  process.exitCode ??= exitCode
} catch (thrown) {
  const problem = missingPackage(thrown)
  if (problem === undefined) throw thrown
  process.stderr.write(`error: ${problem}\n`)
  process.exitCode = 1
}
process.off('beforeExit', onStuck)

#!/usr/bin/env node
import { outputClosed } from './io.js'
import { createProgram } from './program.js'
import { exitCodes, run } from './run.js'

// A write error is a failure. A closed pipe, such as that of `head`, is not.
outputClosed(process.stdout).catch(() => {
  process.exitCode = exitCodes.failure
})
// An error message that cannot be written must not change the exit code.
process.stderr.on('error', () => undefined)
const args = process.argv.slice(2)
const exitCode = await run(await createProgram(process, args), args, process)
process.exitCode ??= exitCode

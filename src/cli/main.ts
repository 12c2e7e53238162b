#!/usr/bin/env node
import { outputClosed } from './output/print.js'
import { createProgram } from './program.js'
import { exitCodes, run } from './run.js'

// Output that cannot be written is a failure. Output that nobody reads, as with `head`, is none.
outputClosed().catch(() => {
  process.exitCode = exitCodes.failure
})
const exitCode = await run(createProgram(), process.argv.slice(2))
process.exitCode ??= exitCode

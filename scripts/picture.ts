// `npm run picture`: runs the demonstration on a pseudo-terminal, and writes docs/images/demo.svg for the README.

import { mkdirSync, writeFileSync } from 'node:fs'
import { record } from './picture/record.js'
import { svgOf } from './picture/svg.js'

const folder = new URL('../docs/images/', import.meta.url)
const [columns, rows] = [80, 24]

// From 5 s before the demonstration drops its connection to 3 s after it accepts the last token.
const command = 'node --import tsx src/cli/main.ts watch --demo'
const frames = await record({ command, columns, rows, skip: 7.5, frames: 16 })
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('demo.svg', folder), svgOf('npx svc-streams watch --demo', frames, columns))

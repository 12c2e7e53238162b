// `npm run build:chart`: the script and the style of a report, as a source. A test compares them.

import { writeFileSync } from 'node:fs'
import { builtChart } from './page/build-chart.js'

writeFileSync('src/view/page/built-chart.ts', await builtChart())

import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { renderHead } from './report/head.js'
import { renderSection, tidy } from './report/markdown.js'
import { fullSettings, quickSettings } from './settings.js'
import { buildLibrary } from './setup/library.js'
import { installPeers } from './setup/peers.js'
import { checkCommonGround } from './setup/versions.js'
import { tables } from './tables/tables.js'

// What the project costs, beside its peers and beside what one would write by hand: `npm run bench` measures all and
// writes RESULTS.md; `-- --quick` tries everything out, and `-- --only live,memory` some of it, on the screen only.

const file = new URL('RESULTS.md', import.meta.url)

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const chosen = values.only?.split(',') ?? Object.keys(tables)
for (const name of chosen) {
  if (tables[name] === undefined)
    throw new Error(`there is ${Object.keys(tables).join(', ')}, and no ${name}`)
}
const settings = values.quick ? quickSettings : fullSettings

await installPeers()
await checkCommonGround()
await buildLibrary()

const began = performance.now()
const head = await renderHead(process.argv.slice(2))
const sections: string[] = []
for (const name of chosen) {
  const table = tables[name]
  if (table === undefined) continue
  process.stderr.write(`${name}:`)
  const started = performance.now()
  const section = await tidy(renderSection(await table(settings)), file)
  process.stderr.write(`  ${Math.round((performance.now() - started) / 1000)} s\n`)
  // At once: if a later table fails, this one has been measured all the same.
  console.log(section)
  sections.push(section)
}
const results = await tidy([head(performance.now() - began), ...sections].join('\n\n'), file)
if (values.quick || values.only !== undefined) console.log(results.slice(0, results.indexOf('## ')))
else await writeFile(file, results)

import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { packagesLine, renderHead, runLine } from './report/head.js'
import { formatMarkdown, renderSection } from './report/markdown.js'
import { replaceSections } from './report/replace-sections.js'
import { fullSettings, quickSettings } from './settings.js'
import { buildLibrary } from './setup/build-library.js'
import { installPeers } from './setup/install-peers.js'
import { checkSharedVersions } from './setup/versions.js'
import { tables } from './tables/tables.js'

// Measures svc-streams, its peers and hand-written clients. `npm run bench` measures all tables and writes RESULTS.md.
// `-- --quick` and `-- --only live,memory` print to the screen only. With `--update`, the selected tables replace those of
// RESULTS.md.

const file = new URL('RESULTS.md', import.meta.url)

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
})
const chosen = values.only?.split(',') ?? Object.keys(tables)
for (const name of chosen) {
  if (tables[name] === undefined)
    throw new Error(`unknown table ${name}: expected ${Object.keys(tables).join(', ')}`)
}
const settings = values.quick ? quickSettings : fullSettings

await installPeers()
await checkSharedVersions()
await buildLibrary()

const start = performance.now()
const args = process.argv.slice(2)
const head = await renderHead(args)
const sections = new Map<string, string>()
for (const name of chosen) {
  const table = tables[name]
  if (table === undefined) continue
  const { title, measure } = table
  process.stderr.write(`${name}:`)
  const tableStart = performance.now()
  const section = await formatMarkdown(renderSection(title, await measure(settings)), file)
  process.stderr.write(`  ${Math.round((performance.now() - tableStart) / 1000)} s\n`)
  // Printed immediately, so that it is not lost if a later table fails.
  console.log(section)
  sections.set(title, section)
}
const ms = performance.now() - start
if (values.update) {
  const order = Object.values(tables).map(({ title }) => title)
  const updated = replaceSections(await readFile(file, 'utf8'), sections, order, runLine(args, ms))
  const withPackages = updated.replace(/^- Packages: .*$/m, await packagesLine())
  await writeFile(file, await formatMarkdown(withPackages, file))
} else {
  const results = await formatMarkdown([head(ms), ...sections.values()].join('\n\n'), file)
  if (values.quick || values.only !== undefined) console.log(results.slice(0, results.indexOf('## ')))
  else await writeFile(file, results)
}

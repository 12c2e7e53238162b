import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** A wing's place. It may import the wings that lie below a part of it. */
interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const places = {
  desk: { x: 20, y: 20, width: 920, height: 92 },
  serve: { x: 20, y: 122, width: 600, height: 92 },
  backtest: { x: 20, y: 224, width: 600, height: 92 },
  simulator: { x: 630, y: 122, width: 310, height: 298 },
  operators: { x: 20, y: 326, width: 290, height: 196 },
  client: { x: 320, y: 326, width: 300, height: 94 },
  wire: { x: 320, y: 430, width: 620, height: 92 },
  base: { x: 20, y: 532, width: 920, height: 92 },
} satisfies Readonly<Record<string, Place>>

type Wing = keyof typeof places

const wings = Object.keys(places) as readonly Wing[]

/** The steps of a live price, by wing. */
const steps: readonly (readonly [wing: Wing, text: string])[] = [
  ['wire', 'A frame arrives, its age is checked, and it is decoded.'],
  ['client', 'The price goes to each subscriber of its topic.'],
  ['operators', 'The strategy derives candles, statistics and decisions.'],
  ['serve', 'Other processes receive the price, with its age.'],
  ['desk', 'A terminal or a page shows it.'],
]

const isAbove = (upper: Place, lower: Place): boolean =>
  upper.y + upper.height <= lower.y && upper.x < lower.x + lower.width && lower.x < upper.x + upper.width

/** True if there is a way down from one wing to the other. */
const standsOn = (upper: Wing, lower: Wing): boolean =>
  wings.some((wing) => isAbove(places[upper], places[wing]) && (wing === lower || standsOn(wing, lower)))

/** The other wings that the files of a wing import. */
const importsOf = (wing: Wing): readonly Wing[] => {
  const imported = new Set<string>()
  for (const path of readdirSync(join(root, 'src', wing), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue
    const file = `${wing}/${path.replaceAll(sep, '/')}`
    for (const [, specifier = ''] of read(`src/${file}`).matchAll(/(?:from |import |import\()'(\.[^']+)'/g))
      imported.add(new URL(specifier, `file:///${file}`).pathname.split('/')[1] ?? '')
  }
  const others = wings.filter((other) => other !== wing && imported.has(other))
  for (const other of others)
    if (!standsOn(wing, other)) throw new Error(`${wing} imports ${other}, which is not below it`)
  return others
}

/** The folders in the order of the README of a wing. */
const foldersOf = (wing: Wing): readonly string[] =>
  [...read(`src/${wing}/README.md`).matchAll(/^\| `([\w-]+)` /gm)].map(([, name = '']) => name)

const sentenceOf = (wing: Wing): string => {
  const row = new RegExp(`^\\| \`src/${wing}\` +\\| (.*?) +\\|`, 'm').exec(read('CONTRIBUTING.md'))
  return (row?.[1] ?? '').replaceAll('`', '')
}

const text = (x: number, y: number, style: string, content: string): string =>
  `<text x="${x}" y="${y}" class="${style}">${content}</text>`

const boxOf = (wing: Wing): string => {
  const { x, y, width, height } = places[wing]
  const imports = importsOf(wing).join(', ')
  const step = steps.findIndex(([each]) => each === wing)
  const [left, middle] = [x + 14, y + height / 2]
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" class="wing"/>`,
    ...(step < 0 ? [] : [dot(x + width - 22, y + 22, step)]),
    text(left, middle - 19, 'name', wing),
    text(left, middle, 'plain', sentenceOf(wing)),
    text(left, middle + 18, 'code', foldersOf(wing).join(' · ')),
    text(left, middle + 36, 'small', imports === '' ? 'imports no wing' : `imports ${imports}`),
  ].join('\n')
}

const dot = (x: number, y: number, step: number): string =>
  `<circle cx="${x}" cy="${y}" r="11" class="step"/>\n${text(x, y + 4, 'number', String(step + 1))}`

const legend = steps
  .map(
    ([wing, meaning], step) =>
      `${dot(31, 688 + step * 26, step)}\n${text(52, 692 + step * 26, 'plain', `${wing}: ${meaning}`)}`,
  )
  .join('\n')

/** The wings, how they stand on each other, and the way of a price through them, as an SVG. */
export const wingsPicture =
  (): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 814" role="img">
<title>The eight wings of src, and the way of a price through them</title>
<style>
  text { font-family: system-ui, sans-serif; font-size: 13px; fill: #1f2933 }
  .ground { fill: #ffffff }
  .wing { fill: #f1f5f9; stroke: #b6c2cf }
  .name { font-size: 16px; font-weight: 600 }
  .code { font-family: ui-monospace, monospace; font-size: 12px; fill: #0b5cad }
  .small { font-size: 11.5px; fill: #566573 }
  .step { fill: #b45309 }
  .number { font-size: 12px; font-weight: 600; fill: #ffffff; text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ground { fill: #0d1117 }
    .wing { fill: #161d27; stroke: #3b4754 }
    .code { fill: #7ab7f5 }
    .small { fill: #9aa7b4 }
    .step { fill: #d97706 }
  }
</style>
<rect width="960" height="814" class="ground"/>
${wings.map(boxOf).join('\n')}
${text(20, 650, 'small', 'A wing imports only wings below it.')}
${legend}
</svg>
`

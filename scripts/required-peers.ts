import { readFileSync } from 'node:fs'
import type { Plugin } from 'rolldown'

/**
 * A chunk imports its peers through `#peers` of the package. For an import of a CommonJS package, Node reads all its text to find
 * the names of its exports, and `rxjs` loads all its files. `peers.cjs` avoids both: it requires the files that the chunk needs.
 * Bundlers without the condition `node` take `peers.js`: for them, `import 'rxjs'` and `require('rxjs')` are two copies.
 */
export const requiredPeers = (chunkName: string): Plugin => ({
  name: 'required-peers',
  renderChunk(code, chunk) {
    if (chunk.name !== chunkName) return undefined
    const required: string[] = []
    const imported: string[] = []
    const rewritten = code.replace(
      importsOfPeers,
      (_, namespace: string | undefined, names: string | undefined, from: string) => {
        const prefix = from.replace(/\W/g, '_')
        if (namespace !== undefined) {
          required.push(`exports.${prefix} = require('${from}')`)
          imported.push(`export * as ${prefix} from '${from}'`)
          return `import { ${prefix} as ${namespace} } from "#peers";`
        }
        const locals = (names ?? '').split(', ').map((each) => {
          const [name = '', local = name] = each.split(' as ')
          required.push(`exports.${prefix}_${name} = require('${fileOf(from, name)}').${name}`)
          imported.push(`export { ${name} as ${prefix}_${name} } from '${from}'`)
          return `${prefix}_${name} as ${local}`
        })
        return `import { ${locals.join(', ')} } from "#peers";`
      },
    )
    this.emitFile({ type: 'asset', fileName: 'peers.cjs', source: textOf(required) })
    this.emitFile({ type: 'asset', fileName: 'peers.js', source: textOf(imported) })
    return { code: rewritten, map: null }
  },
})

const importsOfPeers = /^import (?:\* as (\w+)|\{ (.+?) \}) from "((?:rxjs|fp-ts|io-ts)\b[^"]*)";$/gm

/** A chunk may import a name twice, as two names. */
const textOf = (lines: readonly string[]): string => `${[...new Set(lines)].join('\n')}\n`

const rxjsIndex = readFileSync(new URL('../node_modules/rxjs/dist/esm/index.js', import.meta.url), 'utf8')

/** The file of each export of RxJS, by its index. */
const rxjsFiles: ReadonlyMap<string, string> = new Map(
  [...rxjsIndex.matchAll(/^export \{ (.*) \} from '\.\/(.*)';$/gm)].flatMap(([, names = '', path = '']) =>
    names.split(', ').map((name) => [name, `rxjs/${path}`] as const),
  ),
)

const fileOf = (from: string, name: string): string =>
  from === 'rxjs' ? (rxjsFiles.get(name) ?? from) : from

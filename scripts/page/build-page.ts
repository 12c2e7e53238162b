import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** Bundles the page of the dashboard into a folder. */
export const buildPage = async (outdir: string): Promise<void> => {
  await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: ['main.ts', 'main.css', 'index.html'].map((name) => `src/dashboard/page/${name}`),
    outdir,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'iife',
    target: 'es2022',
    conditions: ['es2015'],
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts/lib': 'io-ts/es6' },
    loader: { '.html': 'copy' },
    tsconfig: 'tsconfig.bundle.json',
    plugins: [pureCodecs],
    logLevel: 'warning',
  })
}

/** Marks the classes and codecs of io-ts as free of side effects, so that esbuild leaves out those that are not used. */
const pureCodecs: Plugin = {
  name: 'pure-codecs',
  setup: (bundler) => {
    bundler.onLoad({ filter: /[\\/]io-ts[\\/]es6[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source
        .replaceAll('/** @class */', pure)
        .replace(/^((?:export )?var \w+ = )(?=new |brand\()/gm, `$1${pure} `)
      return { contents, loader: 'js' }
    })
  },
}

const pure = '/* @__PURE__ */'

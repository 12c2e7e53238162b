import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { minify } from 'rolldown/utils'

/** Bundles the page of the dashboard into a folder. A second program removes another 3 % of its code, compressed. */
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
    plugins: [pureCodecs, withoutUnused],
    logLevel: 'warning',
  })
  const script = join(outdir, 'main.js')
  const { code, errors } = await minify(script, await readFile(script, 'utf8'), {
    compress: { target: 'es2022' },
    mangle: { toplevel: true },
  })
  if (errors.length > 0) throw new Error(`${script} is not valid.`)
  await writeFile(script, code)
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

/**
 * The page has no depth, no key, no headers and no query in its addresses: there is nothing to sign, and nothing to redact.
 * RxJS converts asynchronous iterables and streams of the platform with tslib, which simulates `async` functions. No
 * Observable of the page is made of them, nor of anything else that a long message would have to explain. The error of several
 * teardowns has a short message too.
 */
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: (bundler) => {
    for (const [filter, contents] of replacements)
      bundler.onLoad({ filter }, () => ({ contents: `${unsupported}${contents}`, loader: 'js' }))
  },
}

const unsupported = `const unsupported = () => { throw new TypeError('The page neither signs nor converts this.') };`

const replacements: readonly (readonly [file: RegExp, contents: string])[] = [
  [
    /[\\/]wire[\\/]auth[\\/]secrets\.ts$/,
    `const same = (value) => value
    export class Secrets {
      addUrl() {}
      redact = same
      redactError = same
      redactLeft = same
    }`,
  ],
  // The server of the page requests depth, and the page requests no price.
  [/[\\/]client[\\/]depth[\\/]polls\.ts$/, 'export { unsupported as DepthPolls }'],
  [/[\\/]wire[\\/]http[\\/]requests\.ts$/, 'export { unsupported as Relayer, unsupported as priceRequest }'],
  [/[\\/]wire[\\/]http[\\/]request-limiter\.ts$/, 'export class RequestLimiter {}'],
  [
    /[\\/]wire[\\/]auth[\\/]sign-request\.ts$/,
    `export const authHeaderNames = () => ({})
    export { unsupported as concatenateHeaders, unsupported as createSigner, unsupported as decodeKey }`,
  ],
  [
    /[\\/]tslib\.es6\.mjs$/,
    `export {
      unsupported as __asyncGenerator,
      unsupported as __asyncValues,
      unsupported as __await,
      unsupported as __awaiter,
    }`,
  ],
  [
    /[\\/]isReadableStreamLike\.js$/,
    'export const isReadableStreamLike = () => false; export { unsupported as readableStreamLikeToAsyncGenerator }',
  ],
  [
    /[\\/]throwUnobservableError\.js$/,
    "export const createInvalidObservableTypeError = () => new TypeError('not an Observable')",
  ],
  [
    /[\\/]UnsubscriptionError\.js$/,
    'export class UnsubscriptionError extends Error { constructor(errors) { super(errors.join()); this.errors = errors } }',
  ],
]

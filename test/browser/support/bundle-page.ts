import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'

/** The script of the test page, from the sources, with the settings of `npm run build:browser`. */
export const bundlePage = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page-script.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts/lib': 'io-ts/es6' },
    tsconfigRaw: '{}',
  })
  return outputFiles[0]?.text ?? ''
}

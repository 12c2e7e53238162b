import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A script for a page, from the sources, with the settings of `npm run build:browser`. */
export const bundleForBrowsers = async (entryPoint: URL): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entryPoint)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts/lib': 'io-ts/es6' },
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  })
  return outputFiles[0]?.text ?? ''
}

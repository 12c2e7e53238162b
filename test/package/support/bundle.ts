import { mkdir } from 'node:fs/promises'
import { build, type BuildResult, type Format } from 'esbuild'

/** Defines `require`, which the CommonJS packages in an ES module need for the modules of Node. */
const defineRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

/** A program of `programs/`, the format of its bundle, and the code in front of the bundle. */
export const bundledPrograms: readonly [file: string, Format, banner: string][] = [
  ['live.cjs', 'cjs', ''],
  ['live.mjs', 'esm', defineRequire],
]

/** Bundles a program of the user's folder with all its packages, into another folder. */
export const bundle = async (
  user: string,
  folder: string,
  [file, format, banner]: (typeof bundledPrograms)[number],
): Promise<BuildResult> => {
  await mkdir(folder, { recursive: true })
  return build({
    absWorkingDir: user,
    entryPoints: [`programs/${file}`],
    outfile: `${folder}/${file}`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    banner: { js: banner },
    logLevel: 'silent',
  })
}

import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { format, resolveConfig } from 'prettier'

/** The source of `src/view/page/built-chart.ts`: a report contains its script and its style. */
export const builtChart = async (): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: ['src/dashboard/page/report.ts', 'src/view/page/report.css'],
    outdir: 'dist',
    write: false,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'iife',
    target: 'es2022',
    tsconfig: 'tsconfig.bundle.json',
    logLevel: 'warning',
  })
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? ''
  const hash = createHash('sha256').update(textOf('.js')).digest('base64')
  const lines = [
    '// Written by `npm run build:chart`, from `src/dashboard/page/report.ts` and `report.css`.',
    `export const chartScript = ${JSON.stringify(textOf('.js'))}`,
    '/** The page allows this script alone. */',
    `export const chartScriptHash = 'sha256-${hash}'`,
    `export const pageStyle = ${JSON.stringify(textOf('.css'))}`,
  ]
  const config = await resolveConfig(fileURLToPath(import.meta.url))
  return format(lines.join('\n\n'), { ...config, parser: 'typescript' })
}

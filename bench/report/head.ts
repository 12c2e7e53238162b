import { describeLoad, describeMachine } from '../setup/machine.js'
import { installedVersions, versionOfCcxtsWs } from '../setup/versions.js'

/** The machine, versions and date of the run. Called before the measurements; the result takes their duration. */
export const renderHead = async (args: readonly string[]): Promise<(ms: number) => string> => {
  const loadBefore = describeLoad()
  const packages = await packagesLine()
  return (ms) => `# Results

Written by \`npm run bench\`. In each round, each candidate runs once, in a new process, in rotating order. A figure is the
median of the rounds, with the quartiles in brackets. A ratio is the median of the ratios within each round.

- Machine: ${describeMachine()}; load before ${loadBefore}, after ${describeLoad()}
- Node ${process.version}
${packages}
${runLine(args, ms)}`
}

/** The packages with their versions. */
export const packagesLine = async (): Promise<string> => {
  const versions = await installedVersions()
  const packages = [...versions].map(([name, version]) => `${name} ${version}`).join(', ')
  return `- Packages: ${packages}; ccxt with ws ${(await versionOfCcxtsWs()) ?? 'missing'}`
}

/** The date, the duration and the command of a run. `ms`: its duration. */
export const runLine = (args: readonly string[], ms: number): string => {
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ')
  const command = ['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ')
  return `- ${date} UTC, in ${Math.round(ms / 1000)} s: \`${command}\``
}

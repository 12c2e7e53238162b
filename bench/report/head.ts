import { describeLoad, describeMachine } from '../setup/machine.js'
import { installedVersions, versionOfCcxtsWs } from '../setup/versions.js'

/** What must be known to compare: taken before the measuring, finished with how long that took. */
export const renderHead = async (args: readonly string[]): Promise<(ms: number) => string> => {
  const command = ['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ')
  const before = describeLoad()
  const versions = await installedVersions()
  const ccxtsWs = await versionOfCcxtsWs()
  const packages = [...versions].map(([name, version]) => `${name} ${version}`).join(', ')
  return (ms) => `# Results

Written by \`npm run bench\`, which measures all of it anew. Each candidate runs in a process of its own, started afresh in
each round; rounds are interleaved, each candidate once in each, in rotating order. A ratio is the median of the ratios
within the rounds, with the quartiles in brackets; other figures are medians with quartiles likewise.

- Machine: ${describeMachine()}; load before ${before}, after ${describeLoad()}
- Node ${process.version}
- Packages: ${packages}; ccxt with ws ${ccxtsWs ?? 'missing'}
- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, in ${Math.round(ms / 1000)} s: \`${command}\``
}

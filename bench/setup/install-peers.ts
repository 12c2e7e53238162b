import { runCommand } from './run-command.js'
import { missingPeers } from './versions.js'

/** Installs the peers if one is missing, without their install scripts, which the measurements do not need. */
export const installPeers = async (): Promise<void> => {
  if ((await missingPeers()).length === 0) return
  await runCommand('npm', ['ci', '--prefix', 'bench', '--ignore-scripts', '--no-audit', '--no-fund'])
  const missing = await missingPeers()
  if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`)
}

import { onTestFinished } from 'vitest'

/** The names of the warnings that the process prints during the test. */
export const collectWarnings = (): readonly string[] => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  return warnings
}

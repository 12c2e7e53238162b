/** The results of the checks that `doctor` has printed, by their names. */
export const readOutput = ({ code, stdout, stderr }: DoctorOutput) => {
  const lines = stdout.trim().split('\n')
  const results = new Map(lines.map((line) => [line.slice(0, 15).trim(), line.slice(17)]))
  return { code, lines, results, stderr, output: stdout + stderr }
}

interface DoctorOutput {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

import { valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import type { ProgramCost } from '../process/cost-of-program.js'
import { formatSpread } from './format-figure.js'
import type { Section } from './markdown.js'

/** A row for each program that read or wrote `count` rows: its peak memory, and its CPU, also relative to the first program. */
export const costTable = <Program extends { readonly name: string }>(
  heading: string,
  measured: ReadonlyMap<Program, readonly ProgramCost[]>,
  count: number,
): Pick<Section, 'columns' | 'rows'> => {
  const programs = [...measured.keys()]
  const micros = programs.map((program) => valuesOf(measured, program, ({ cpuMs }) => (1000 * cpuMs) / count))
  return {
    columns: [heading, 'MB', 'cost', 'µs a row'],
    rows: programs.map((program, index) => {
      const cpu = micros[index] ?? []
      const memory = valuesOf(measured, program, ({ peakMegabytes }) => peakMegabytes)
      const figures = [memory, ratios(cpu, micros[0] ?? []), cpu]
      return [program.name, ...figures.map((each) => formatSpread(spreadOf(each)))]
    }),
  }
}

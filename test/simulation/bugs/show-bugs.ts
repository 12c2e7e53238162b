import { bugs, searchOf } from './bugs.js'
import { withBug } from './with-bug.js'

// Prints the table of README.md: `node --import tsx test/simulation/bugs/show-bugs.ts`.

console.log(
  '| Bug | Seed | Simulated minutes | Seconds | Steps, and of the shortest history | Violation |\n| --- | --- | --- | --- | --- | --- |',
)
for (const bug of bugs) {
  const { searchSeeds, shrink } = await withBug(bug)
  const { failure, simulatedMs, elapsedMs } = await searchSeeds({
    ...searchOf(bug),
    realMs: 60_000,
  })
  if (failure === undefined) {
    console.log(`| ${bug.name} | not found | | | | |`)
    continue
  }
  const { scenario, violation } = await shrink(failure)
  const steps = `${failure.scenario.steps.length}, ${scenario.steps.length}`
  const minutes = Math.round(simulatedMs / 60_000)
  const seconds = (elapsedMs / 1000).toFixed(1)
  console.log(
    `| ${bug.name} | ${scenario.seed} | ${minutes} | ${seconds} | ${steps} | ${violation.problem} |`,
  )
}

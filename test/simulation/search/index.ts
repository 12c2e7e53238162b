// What the command, the tests and the copies with a bug use.
export { runEpisode } from './episode.js'
export { scenarioOf } from './scenario.js'
export { searchSeeds, type SearchLimits, type SearchResult } from './search-seeds.js'
export { describeFailure, shrink, type Failure } from './shrink.js'
export { runLines, searchLines } from '../lines/line-episode.js'
export { lineScenarioOf, type LineKind } from '../lines/line-scenario.js'

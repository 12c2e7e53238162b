/**
 * The wings: what each may import, and its folders by floor, the lowest first. A folder imports the lower floors of its
 * wing. `*`: the files of the wing itself.
 */
const wings = {
  base: {
    imports: [],
    floors: [['domain', 'task'], ['time'], ['errors'], ['diagnostics', 'option-kinds']],
  },
  wire: {
    imports: ['base'],
    floors: [
      ['auth', 'codec', 'server', 'transport'],
      ['http', 'platform', 'socket'],
    ],
  },
  operators: { imports: ['base'], floors: [['*', 'store']] },
  client: { imports: ['base', 'wire'], floors: [['depth', 'prices'], ['*']] },
  simulator: { imports: ['base', 'wire'], floors: [] },
  backtest: {
    imports: ['base', 'wire', 'operators', 'client'],
    floors: [['paper', 'recording', 'testing'], ['history', 'import'], ['sweep']],
  },
  serve: {
    imports: ['base', 'wire', 'operators', 'client', 'backtest'],
    floors: [['gateway', 'opentelemetry'], ['nats']],
  },
  desk: {
    imports: ['base', 'wire', 'operators', 'client', 'simulator', 'backtest', 'serve'],
    floors: [['display'], ['dashboard'], ['cli']],
  },
}

const folder = (name) => (name.endsWith('/*') ? `^src/${name.slice(0, -1)}[^/]+$` : `^src/${name}/`)

/** The entry point, and that of browsers. */
const doors = '^src/(index|browser|exports)\\.ts$'

const outsideWings = { path: '^src/', pathNot: [doors, ...Object.keys(wings).map(folder)] }

/** The script of the dashboard's page, which esbuild bundles with what it imports. */
const page = '^src/desk/dashboard/page/'

/** The files that run on Node alone. All others run in browsers too. */
const nodeOnly = [
  '^src/(simulator|serve|wire/server|backtest/(import|sweep)|desk/cli|desk/dashboard/serve)/',
  '^src/wire/transport/((ws|undici)/|(packages|dial-host)\\.ts)',
  '^src/wire/platform/node(/|\\.ts)',
  '^src/(index|client/on-node|backtest/((history|paper|recording)/index|paper/(on-node|journal/journal-(events|file))|recording/(on-node|columns/columns-file|(journal/journal|resume/resume)|record/(recording|rotating)-file)))\\.ts',
]

const browserOnly = [
  page,
  '^src/wire/transport/(fetch|native-web-socket)\\.ts',
  '^src/wire/platform/browser(/|\\.ts)',
  '^src/(browser|backtest/(history|paper|recording)/browser)\\.ts',
]

const wingRules = Object.entries(wings).flatMap(([wing, { imports, floors }]) => [
  {
    name: `${wing} imports only ${imports.join(', ') || 'itself'}`,
    severity: 'error',
    from: { path: folder(wing) },
    to: { path: '^src/', pathNot: [wing, ...imports].map(folder) },
  },
  ...floors.flatMap((names, level) =>
    names.map((name) => ({
      name: `${wing}/${name} imports only the lower floors of its wing`,
      severity: 'error',
      from: { path: folder(`${wing}/${name}`) },
      to: {
        path: folder(wing),
        pathNot: [name, ...floors.slice(0, level).flat()].map((lower) => folder(`${wing}/${lower}`)),
      },
    })),
  ),
])

module.exports = {
  forbidden: [
    ...wingRules,
    {
      name: 'src holds the entry points and the wings',
      severity: 'error',
      from: {},
      to: outsideWings,
    },
    {
      name: 'a file outside of the wings imports nothing',
      severity: 'error',
      from: outsideWings,
      to: {},
    },
    {
      name: 'the simulator shares types, the check of options, server, task and decimal text with the library, and no protocol logic',
      severity: 'error',
      from: { path: folder('simulator') },
      to: {
        path: '^src/',
        pathNot: [
          ...['simulator', 'base/option-kinds', 'wire/server', 'base/task'].map(folder),
          '^src/base/domain/plain-decimal\\.ts',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters are reached from platform alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/wire/(platform|transport)/' },
      to: { path: '^src/wire/transport/((ws|undici)/|fetch\\.ts|native-web-socket\\.ts)' },
    },
    {
      name: 'Node is imported by the files that run on Node alone',
      severity: 'error',
      from: { path: '^src/', pathNot: nodeOnly },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'a file that runs on every platform imports no file of one platform',
      severity: 'error',
      from: { path: '^src/', pathNot: [...nodeOnly, ...browserOnly] },
      to: { path: [...nodeOnly, ...browserOnly], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'a file for browsers imports no file for Node',
      severity: 'error',
      from: { path: browserOnly },
      to: { path: nodeOnly, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ws and undici are imported by their adapters, the gateway and the simulator alone',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(wire/transport/(ws/|undici/|packages\\.ts)|serve/gateway/|simulator/)',
      },
      to: { path: 'node_modules/(@types/)?(ws|undici)/' },
    },
    {
      name: 'the NATS client is imported by nats alone',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('serve/nats') },
      to: { path: 'node_modules/@nats-io/' },
    },
    {
      name: '@opentelemetry/api is imported by its folder alone',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('serve/opentelemetry') },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'io-ts is imported by the codecs alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(wire/codec|backtest/recording/format)/' },
      to: { path: 'node_modules/io-ts/' },
    },
    {
      name: 'the definition of a command loads its action when the command runs, so that the help is fast',
      severity: 'error',
      from: { path: '^src/desk/cli/(commands/|program\\.ts|input/(parse|source)-flags\\.ts)' },
      to: {
        path: [
          '^src/desk/cli/(?!commands/|manifest\\.ts|input/(parse|source)-flags\\.ts)',
          '^src/(client|backtest/recording)/',
          '^src/simulator/index\\.ts',
          'node_modules/(rxjs|fp-ts|io-ts)/',
        ],
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'package.json lists what is imported',
      severity: 'error',
      from: { path: '^src/', pathNot: page },
      to: {
        // The build copies ws into the package.
        pathNot: 'node_modules/ws/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'type-only'],
      },
    },
    {
      name: 'the page is imported by nothing: it is bundled by itself',
      severity: 'error',
      from: { path: '^src/', pathNot: page },
      to: { path: page },
    },
    {
      name: 'no orphans',
      severity: 'error',
      from: {
        path: '^src/',
        orphan: true,
        pathNot: [
          '^src/(index|browser)\\.ts$',
          '^src/(operators|simulator)/index\\.ts$',
          '^src/(backtest|serve)/[a-z]+/(index|browser)\\.ts$',
          '^src/(desk/cli|backtest/sweep/worker|desk/dashboard/page)/main\\.ts$',
        ],
      },
      to: {},
    },
    // Last: its output is long.
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // As Node resolves packages.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}

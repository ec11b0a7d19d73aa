import Benchmark
import Scenarios

let benchmarks: @Sendable () -> Void = {
    guard let scenarios = try? ChainScenarios.all() else { return }
    for scenario in scenarios {
        Benchmark(
            scenario.name,
            configuration: .init(metrics: [.wallClock, .instructions, .throughput], scalingFactor: .kilo)
        ) { benchmark in
            try await scenario.run(benchmark.scaledIterations.count)
        }
    }
}

func runDemo(_ url: String, endsWhenReceived: Bool) async throws { try await Task.sleep(for: .seconds(3600)) }

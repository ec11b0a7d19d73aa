/// Whether the current task sends log records: what it logs meanwhile would be about itself, and is not logged.
enum LogShipping {
    @TaskLocal static var isUnderWay = false
}

locals {
  season = jsondecode(file(var.season_file))

  # A product is called by the four parts of its key.
  products = {
    for p in local.season.products :
    "${p.collectionId}::${p.activityType}::${p.activityId}::${p.productId}" => merge(p, {
      bucket = try(
        p.availabilityEstimationPattern.cadence.id,
        "${p.availabilityEstimationPattern.cadence.minutes}min",
        "${p.availabilityEstimationPattern.cadence.hours}h",
        "${p.availabilityEstimationPattern.cadence.days}d",
      )
    })
  }

  # One bucket for each cadence that a product has: 5min, 15min, 30min.
  cadences = {
    for p in local.products : p.bucket => p.availabilityEstimationPattern.cadence...
  }
}

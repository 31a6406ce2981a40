# A rule of EventBridge, its target, and the bucket's registry item.
resource "availability_cadence_bucket" "this" {
  for_each = local.cadences

  name        = each.key
  description = "Checks the dirty signals of ${each.key}"

  cadence = {
    minutes = var.every_minute ? 1 : try(each.value[0].minutes, null)
    hours   = var.every_minute ? null : try(each.value[0].hours, null)
    days    = var.every_minute ? null : try(each.value[0].days, null)
  }

  target = {
    arn = var.function_arn
  }
}

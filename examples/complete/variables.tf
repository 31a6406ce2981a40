variable "environment" {
  type        = string
  description = "Name of the environment, for tags."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals, from which all other names are made."
}

variable "platform_table_name" {
  type        = string
  description = "Name of the platform's own table, with the inventory, whose stream is on."
}

variable "time_zone" {
  type        = string
  description = "Where the products are, as an IANA time zone."
}

variable "architecture" {
  type        = string
  default     = "arm64"
  description = "What the function runs on: arm64 or x86_64."
}

variable "package_version" {
  type        = string
  default     = null
  description = "The version of the Lambda package that is wanted; null for that of the provider's release."
}

variable "buckets" {
  type = map(object({
    minutes = optional(number)
    hours   = optional(number)
    days    = optional(number)
    shards  = optional(number, 1)
  }))
  description = "Cadence of each bucket, by its name."
}

variable "products" {
  type = map(object({
    collection_id = string
    activity_type = string
    activity_id   = string
    product_id    = string
    bucket        = string
    start_date    = string
    end_date      = string
    except_dates  = optional(list(string), [])
    mode          = optional(string, "tiered")
  }))
  description = "What is sold, by a name of one's own: when, and in which bucket it is checked."
}

variable "page_topic_arns" {
  type        = list(string)
  default     = []
  description = "SNS topics of the alarms that somebody is called for."
}

variable "ticket_topic_arns" {
  type        = list(string)
  default     = []
  description = "SNS topics of the alarms that have time until the morning."
}
